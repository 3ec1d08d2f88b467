import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { becomes } from '../../../../helpers/eventually.js';
import { skipWithout } from '../../../../helpers/parts.js';
import { temporaryFolder } from '../../../../helpers/platform.js';

const program = fileURLToPath(new URL('./outliving.js', import.meta.url));

/** Whether it runs; one that nobody has taken notice of yet does not. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The process of a plugin that spins, once its platform has been killed. */
async function orphan(t: Test, without: string): Promise<number> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: await temporaryFolder(t) };
  const platform = spawn(process.execPath, [program, without], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(platform.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  t.teardown(() => {
    if (runs(pid)) process.kill(pid, 'SIGKILL');
  });
  t.ok(runs(pid));
  await sleep(100);
  platform.kill('SIGKILL');
  await once(platform, 'exit');
  return pid;
}

t.test('a spinning plugin dies with a killed platform only if the wall holds', { skip: skipWithout('namespaces') }, async (t) => {
  const survivor = await orphan(t, 'lifetime');
  await sleep(500);
  t.ok(runs(survivor), 'without the wall the plugin survives');
  const pid = await orphan(t, '');
  await becomes(t, () => runs(pid), false);
});
