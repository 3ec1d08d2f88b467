import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import fc from 'fast-check';
import t from 'tap';
import { modelSchema } from '../../extensions/agents/tools/model-schema.js';
import { schemaCases } from './mcp/schemas.js';

const known =
  /^(type|description|properties|required|additionalProperties|items|anyOf|enum|default|format|m(in|ax)(imum|Length|Items)|exclusiveM(in|ax)imum|multipleOf)$/;
const max_characters = 100_000;

type Part = Readonly<Record<string, unknown>>;

/** Returns the faults that a strict model server would refuse a schema for. */
function faults(part: Part, path = '#', depth = 0): string[] {
  const { type, anyOf, properties, required, items, additionalProperties } = part;
  const within: [string, Part][] = [
    ...Object.entries((properties ?? {}) as Record<string, Part>),
    ...((anyOf ?? []) as Part[]).map((each, at): [string, Part] => [`anyOf.${at}`, each]),
    ...(items ? ([['items', items as Part]] as [string, Part][]) : []),
    ...(typeof additionalProperties === 'object' ? ([['*', additionalProperties as Part]] as [string, Part][]) : []),
  ];
  return [
    ...Object.keys(part).filter((key) => !known.test(key)),
    ...((typeof type === 'string') === (anyOf === undefined) ? [] : ['either one type or a choice']),
    ...(type !== 'object' || (properties && Array.isArray(required)) ? [] : ['properties and required']),
    ...(type !== 'array' || items ? [] : ['items']),
    ...((required ?? []) as string[]).filter((name) => !Object.hasOwn((properties ?? {}) as object, name)),
    ...(depth > 20 ? ['depth'] : within.flatMap(([key, each]) => faults(each, `${path}/${key}`, depth + 1))),
  ].map((fault) => (fault.startsWith('#') ? fault : `${path}: ${fault}`));
}

const validator = new AjvJsonSchemaValidator();

for (const { name, offered, told, takes = [] } of schemaCases) {
  t.test(name, async (t) => {
    const found = modelSchema(offered);
    if (told) t.same(found, told);
    t.same(faults(found as Part), []);
    t.equal((found as Part).type, 'object');
    t.ok(JSON.stringify(found).length < max_characters);
    for (const input of takes) t.equal(validator.getValidator(found as never)(input).errorMessage, undefined, JSON.stringify(input));
    t.same(modelSchema(found), found, 'a strict schema stays unchanged');
  });
}

t.test('the model gets a strict schema whatever a server offers', async (t) => {
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    'anyOf',
    'allOf',
    '$ref',
    'enum',
    'required',
    'additionalProperties',
    '$defs',
    'const',
    'nullable',
  );
  const leaf = fc.oneof(
    fc.constantFrom<unknown>('object', 'string', 'array', ['string', 'null'], '#', '#/$defs/a', true, false, null, 7),
    fc.string(),
  );
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.dictionary(fc.oneof(keyword, fc.string({ maxLength: 4 })), tie('schema')),
      fc.array(tie('schema'), { maxLength: 4 }),
    ),
  }));
  fc.assert(
    fc.property(schema as fc.Arbitrary<unknown>, (offered) => {
      const found = faults(modelSchema(offered) as Part);
      if (found.length > 0) throw new Error(found.join('; '));
    }),
    { numRuns: 500, seed: 7 },
  );
  t.pass();
});
