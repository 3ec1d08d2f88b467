import { spawnSync } from 'node:child_process';
import t from 'tap';
import { compilerFlags } from '../../../../kernel/platform/process/v8-flags.js';

const module = new URL('../../../../kernel/platform/process/v8-flags.js', import.meta.url).href;
const set = `import { setV8Flags } from '${module}'; setV8Flags(); `;
const busy =
  'let sum = 0; const add = (o) => o.a + o.b; for (const end = Date.now() + 300; Date.now() < end; ) sum += add({ a: sum % 7, b: 1 });';
const keeping = 'const kept = []; const make = (n) => ({ n }); for (let n = 0; n < 400_000; n += 1) kept.push(make(n));';
/** Keeps some 40 MB, beside which nothing else counts. */
const collecting = 'globalThis.kept = Array.from({ length: 1_000_000 }, (_, n) => ({ n, m: n })); globalThis.gc(); globalThis.gc();';

/** How often the middle compiler has compiled something of a program. */
function compiled(before: string): number {
  return told(before + busy, '--trace-opt').match(/target MAGLEV/gi)?.length ?? 0;
}

/** Of how many places in a program V8 has looked whether what they allocate survives. */
function watched(before: string): number {
  return told(before + keeping, '--trace-pretenuring-statistics').match(/AllocationSite/g)?.length ?? 0;
}

/** To how many times what a collection has left the heap may grow before the next, where it may have so many megabytes. */
function growth(most_mb: number, ...flags: string[]): number {
  const shown = ['--trace-gc-verbose', '--expose-gc', '--max-semi-space-size=16', `--max-old-space-size=${most_mb}`];
  const text = told(set + collecting, ...shown, ...flags);
  const [, left, limit] = text.match(/.*\[HeapController\] Limit: old size: (\d+) KB, new limit: (\d+)/s) ?? [];
  return Number(limit) / Number(left);
}

function told(program: string, ...flags: string[]): string {
  const { stdout, status } = spawnSync(process.execPath, [...flags, '--input-type=module', '-e', program]);
  t.equal(status, 0);
  return stdout.toString();
}

t.test('a server does without the compiler that ends processes', async (t) => {
  const does = compiled('') > 0;
  t.equal(compiled(set) > 0, does && compilerFlags.length === 0);
  // Otherwise the line above would say nothing.
  if (compilerFlags.length > 0) t.ok(does, 'without the flags, it compiles');
});

t.test('a server allocates nothing among what is old because other things have survived', async (t) => {
  t.equal(watched(set), 0);
  t.ok(watched('') > 0, 'without the flags, it does');
});

t.test('the heap of a server grows to three times what a collection left, where there is room for it', async (t) => {
  const grown = growth(4_096);
  t.ok(grown >= 3 && grown < 3.5, `${grown} times, with what is young`);
  const short = growth(256);
  t.ok(short < 2.5, `${short} times where memory is short`);
  const chosen = growth(4_096, '--heap-growing-percent=50');
  t.ok(chosen >= 1.5 && chosen < 2, `${chosen} times where its command line says so`);
});
