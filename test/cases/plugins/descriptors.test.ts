import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { temporaryFolder } from '../../helpers/platform.js';
import { pluginFolder } from '../../kernel/platform/sandbox/world.js';

/** The numbers from 4 on that are open, and what is read of those that are a file with a secret. */
const activate = `ctx.expose({ 'xx.open': op('open', { who: 'member' }) }, { 'xx.open': () => {
  const { fstatSync } = require('node:fs');
  const secret = (n) => { try { return fstatSync(n).size === 23; } catch { return false; } };
  return { secrets: Array.from({ length: 300 }, (_, n) => n).filter(secret) };
} });`;

/** With all walls that this machine has, and with none that starts a program in between. */
for (const walls of ['', 'permissions']) {
  t.test(`a plugin inherits no open file of the platform (${walls || 'all walls'})`, async (t) => {
    const [data_dir, folder] = [await temporaryFolder(t), await pluginFolder(t, activate)];
    const secret = join(data_dir, 'secret');
    writeFileSync(secret, 'x'.repeat(23));
    const descriptor = openSync(secret, 'r');
    t.teardown(() => closeSync(descriptor));
    // At 4, 16, 17, 40 and 255, as shells and supervisors leave them.
    const stdio = Array.from({ length: 256 }, (_, n) => ([4, 16, 17, 40, 255].includes(n) ? descriptor : ('ignore' as const)));
    const program = fileURLToPath(new URL('./inheriting.js', import.meta.url));
    const child = fork(program, [folder, join(data_dir, 'data'), walls], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc', ...stdio.slice(4)],
    });
    t.teardown(() => child.kill('SIGKILL'));
    const [told] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
    t.same(told, { secrets: [] });
  });
}
