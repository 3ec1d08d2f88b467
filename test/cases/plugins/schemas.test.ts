import { compileFunction } from 'node:vm';
import joi from 'joi';
import t from 'tap';
import type { JsonSchema } from '../../../kernel/contract/schema.js';
import { dataFromSchema } from '../../../kernel/core/host/json-schema.js';
import { Patterns } from '../../../kernel/core/host/pattern.js';
import { isWithinWork } from '../../../kernel/core/host/schema-work.js';
import { steps_here, steps_in_process } from '../../../kernel/platform/sandbox/limits.js';
import { pluginZip } from '../../kernel/core/plugins/bundle.js';
import { ann, startWorld } from '../../kernel/core/plugins/world.js';
import { type SchemaCase, schemaCases } from './schemas.js';

const activate = `ctx.expose({ ${schemaCases
  .map(({ schema }, at) => `'guest.op${at}': op('op${at}', { input: (j) => ${schema} })`)
  .join(', ')} }, { ${schemaCases.map((_case, at) => `'guest.op${at}': () => 'done'`).join(', ')} });`;

function inputOf({ kind, item, times }: SchemaCase['input']): object {
  const at = (n: number) => JSON.parse(JSON.stringify(item).replaceAll('"#"', `${n}`)) as unknown;
  const items = Array.from({ length: times }, (_, n) => at(n));
  if (kind === 'text') return { a: String(item).repeat(times) };
  return { a: kind === 'list' ? items : Object.fromEntries(items.map((value, n) => [`k${n}`, value])) };
}

function schemaOf({ schema }: SchemaCase): JsonSchema {
  return dataFromSchema(compileFunction(`return ${schema}`, ['j'])(joi) as joi.Schema);
}

t.test('the cost of a schema is checked in advance', async (t) => {
  const patternSize = new Patterns('xx').size;
  for (const one of schemaCases) {
    const within = (limit: number) => isWithinWork(schemaOf(one), inputOf(one.input), { limit, patternSize });
    const checked = within(steps_here) ? 'here' : within(steps_in_process) ? 'apart' : 'refused';
    t.equal(checked, one.checked, one.name);
  }
});

t.test("an input is validated by a plugin's schema", async (t) => {
  const { install, kernel } = await startWorld(t);
  await install(pluginZip({ activate }));
  for (const [at, one] of schemaCases.entries()) {
    const ended = await kernel.invoke(`guest.op${at}`, inputOf(one.input), ann).then(
      ({ status }) => status,
      (fault: { status?: number }) => fault.status ?? fault,
    );
    t.equal(ended, one.status, one.name);
  }
});
