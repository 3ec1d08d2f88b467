import { spawnSync } from 'node:child_process';
import t from 'tap';
import { compilerFlags } from '../../kernel/compiler.js';

const module = new URL('../../kernel/compiler.js', import.meta.url).href;
const busy =
  'let sum = 0; const add = (o) => o.a + o.b; for (const end = Date.now() + 300; Date.now() < end; ) sum += add({ a: sum % 7, b: 1 });';

/** How often the middle compiler has compiled something of a program. */
function compiled(before: string): number {
  const { stdout, status } = spawnSync(process.execPath, ['--trace-opt', '--input-type=module', '-e', `${before}${busy}`]);
  t.equal(status, 0);
  return stdout.toString().match(/target MAGLEV/gi)?.length ?? 0;
}

t.test('what has set the compiler does without the one that ends processes', async (t) => {
  t.equal(compiled(`import { setCompiler } from '${module}'; setCompiler(); `), 0);
  // Otherwise the line above would say nothing; where there are no flags, that is as it should be.
  if (compilerFlags.length > 0) t.ok(compiled('') > 0, 'without it, it compiles');
});
