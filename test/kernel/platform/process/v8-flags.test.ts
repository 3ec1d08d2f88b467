import { spawnSync } from 'node:child_process';
import t from 'tap';
import { compilerFlags } from '../../../../kernel/platform/process/v8-flags.js';

const module = new URL('../../../../kernel/platform/process/v8-flags.js', import.meta.url).href;
const set = `import { avoidCompilerCrash } from '${module}'; avoidCompilerCrash(); `;
const busy =
  'let sum = 0; const add = (o) => o.a + o.b; for (const end = Date.now() + 300; Date.now() < end; ) sum += add({ a: sum % 7, b: 1 });';

/** How often the middle compiler has compiled something of a program. */
function compiled(before: string): number {
  return output(before + busy, '--trace-opt').match(/target MAGLEV/gi)?.length ?? 0;
}

function output(program: string, ...flags: string[]): string {
  const { stdout, status } = spawnSync(process.execPath, [...flags, '--input-type=module', '-e', program]);
  t.equal(status, 0);
  return stdout.toString();
}

t.test('a server disables the compiler that crashes processes', async (t) => {
  const does = compiled('') > 0;
  t.equal(compiled(set) > 0, does && compilerFlags.length === 0);
  // Otherwise the line above would say nothing.
  if (compilerFlags.length > 0) t.ok(does, 'without the flags the compiler runs');
});
