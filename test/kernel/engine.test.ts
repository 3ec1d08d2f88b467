import { spawnSync } from 'node:child_process';
import t from 'tap';
import { compilerFlags } from '../../kernel/engine.js';

const module = new URL('../../kernel/engine.js', import.meta.url).href;
const set = `import { setEngine } from '${module}'; setEngine(); `;
const busy =
  'let sum = 0; const add = (o) => o.a + o.b; for (const end = Date.now() + 300; Date.now() < end; ) sum += add({ a: sum % 7, b: 1 });';
const keeping = 'const kept = []; const make = (n) => ({ n }); for (let n = 0; n < 400_000; n += 1) kept.push(make(n));';

/** How often the middle compiler has compiled something of a program. */
function compiled(before: string): number {
  return told('--trace-opt', before + busy).match(/target MAGLEV/gi)?.length ?? 0;
}

/** Of how many places in a program V8 has looked whether what they allocate survives. */
function watched(before: string): number {
  return told('--trace-pretenuring-statistics', before + keeping).match(/AllocationSite/g)?.length ?? 0;
}

/** To how many times what a collection has left the heap of a program may grow before the next. */
function growth(before: string): number {
  const limits = told('--trace-gc-verbose', `${before}globalThis.gc();`, '--expose-gc').match(/Limit: old size: \d+ KB, new limit: \d+/g);
  const [left = Number.NaN, limit = Number.NaN] = (limits?.at(-1)?.match(/\d+/g) ?? []).map(Number);
  return limit / left;
}

function told(flag: string, program: string, ...more: string[]): string {
  const { stdout, status } = spawnSync(process.execPath, [flag, ...more, '--input-type=module', '-e', program]);
  t.equal(status, 0);
  return stdout.toString();
}

t.test('what has set the engine does without the compiler that ends processes', async (t) => {
  t.equal(compiled(set), 0);
  // Otherwise the line above would say nothing; where there are no flags, that is as it should be.
  if (compilerFlags.length > 0) t.ok(compiled('') > 0, 'without it, it compiles');
});

t.test('what has set the engine allocates nothing among what is old because other things have survived', async (t) => {
  t.equal(watched(set), 0);
  t.ok(watched('') > 0, 'without it, it does');
});

t.test('what has set the engine lets the heap grow to a fixed multiple, which V8 would choose from what it has just seen', async (t) => {
  t.ok(growth(set) < growth(''), 'of a small heap V8 itself would choose its largest');
});
