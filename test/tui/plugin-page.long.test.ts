import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { shellFor } from '../cli/shell.js';
import { packed } from '../examples/world.js';
import { skipWithout } from '../helpers/parts.js';
import { Screen } from './screen.js';

const id = 'acme.webhooks';

t.test('a plugin adds its page to an open dashboard, and removes it', { skip: skipWithout('tmux') }, async (t) => {
  const shell = await shellFor(t, { PLATFORM_PLUGINS_TRUSTED: id });
  const done = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await shell.run(args);
    t.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  await shell.serve(t);
  const screen = await Screen.open(t, shell, { columns: 140 });
  t.notMatch((await screen.shows(/Requests +\d/))[1], 'Hooks');

  const zip = join(shell.env.HOME ?? '', 'webhooks.zip');
  await writeFile(zip, await packed(t, id));
  const { version } = JSON.parse(await done('extension', 'publish', zip, '--no-sign', '--json'));
  await done('extension', 'approve', id, version);
  await done('extension', 'install', id, '--accept-permissions', '--yes');
  await screen.shows(/^.* \d Hooks /m);
  await screen.go('hooks');
  await screen.shows('No records yet');
  const { id: session_id } = JSON.parse(await done('chat', 'open', 'CI', '--json'));
  await done('x', id, 'create', session_id, 'CI');
  await screen.shows(/> +CI +0 .*\/api\/x\/acme\.webhooks\//);

  await done('extension', 'rm', id, '--yes');
  const lines = await screen.shows(/Requests +\d/);
  t.notMatch(lines.join('\n'), 'Hooks');
});
