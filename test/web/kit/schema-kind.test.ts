import t from 'tap';
import type { JsonSchema } from '../../../kernel/contract/schema.js';
import { importWeb } from '../../helpers/web.js';

interface Kinds {
  kindOf: (schema: JsonSchema) => string;
  simplified: (schema: JsonSchema) => JsonSchema;
  variantOf: (variants: readonly JsonSchema[], value: unknown) => number;
  labelFor: (labelled: { name: string; path: string; schema: JsonSchema; labels?: object | undefined }) => object;
}

const { kindOf, labelFor, simplified, variantOf } = await importWeb<Kinds>('kit/forms/schema-kind.ts');

t.test('each schema gets the field that fits it, and JSON where none fits', async (t) => {
  const kinds: readonly (readonly [JsonSchema, string])[] = [
    [{ type: 'boolean' }, 'switch'],
    [{ enum: ['a', 'b'] }, 'choice'],
    [{ type: ['integer', 'null'] }, 'number'],
    [{ type: 'string', format: 'date-time' }, 'moment'],
    [{ type: 'string', maxLength: 80 }, 'text'],
    [{ type: 'string', maxLength: 8000 }, 'long-text'],
    [{ type: 'string', format: 'uri', maxLength: 2048 }, 'text'],
    [{ type: 'array', items: { enum: ['a'] } }, 'choices'],
    [{ type: 'array', items: { type: 'string' } }, 'lines'],
    [{ type: 'array', items: { type: 'object' } }, 'json'],
    [{ type: 'object', properties: { a: { type: 'string' } } }, 'object'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'pairs'],
    [{ type: 'object', additionalProperties: true }, 'json'],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'variants'],
    [{ anyOf: [{ type: 'null' }, { type: 'integer' }] }, 'number'],
    [{ anyOf: [{ enum: ['all'] }, { enum: ['none', 'some'] }] }, 'choice'],
    [{ anyOf: [{ enum: ['all'] }, { type: 'array', items: { type: 'string' } }] }, 'variants'],
    [{ type: ['string', 'integer'] }, 'json'],
    [{}, 'json'],
  ];
  for (const [schema, kind] of kinds) t.equal(kindOf(simplified(schema)), kind, JSON.stringify(schema));
});

t.test('a translation wins over the words of the schema, and those over the name', async (t) => {
  const schema = { title: 'Retries', description: 'How often.' };
  const place = { name: 'max_retries', path: 'hook.max_retries' };
  t.strictSame(labelFor({ ...place, schema: {} }), { label: 'Max retries', help: undefined });
  t.strictSame(labelFor({ ...place, schema }), { label: 'Retries', help: 'How often.' });
  t.strictSame(labelFor({ ...place, schema, labels: { 'hook.max_retries': '重试次数' } }), { label: '重试次数', help: undefined });
});

t.test('alternatives become one schema where they can, and keep the words of the whole', async (t) => {
  const number = { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }], description: 'At most.' } as const;
  t.strictSame(simplified(number), { type: 'integer', minimum: 1, description: 'At most.' });
  t.strictSame(simplified({ anyOf: [{ enum: ['a'] }, { enum: ['b'] }] }), { enum: ['a', 'b'] });
});

t.test('a value belongs to the first alternative whose type it has', async (t) => {
  const variants = [{ enum: ['all'] }, { type: 'array', items: { type: 'string' } }, { type: 'integer' }, { type: 'string' }] as const;
  const places = ['all', ['a'], 3, 'some', undefined].map((value) => variantOf(variants, value));
  t.strictSame(places, [0, 1, 2, 3, 0]);
});
