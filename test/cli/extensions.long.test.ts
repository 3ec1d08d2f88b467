import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { hashOf, pluginZip } from '../kernel/core/plugins/bundle.js';
import { goodSkill, skillManifest } from '../kernel/platform/bundles/world.js';
import { zipOf } from '../kernel/platform/bundles/zip.js';
import { shellFor, withoutTerminal } from './shell.js';

const plugin = pluginZip({
  id: 'acme.greeter',
  name: 'Greeter',
  description: 'Greets.',
  permissions: { storage: true },
  activate: `ctx.expose({ 'acme.greeter.greet': op('greet', { input: (j) => j.object({ name: j.string() }) }) },
    { 'acme.greeter.greet': ({ name }) => ({ text: 'Hello ' + name }) });`,
});
const skill = zipOf(goodSkill(skillManifest));

t.test('commands cover the whole life of an extension', { timeout: 120_000, skip: withoutTerminal }, async (t) => {
  const shell = await shellFor(t, { PLATFORM_PLUGINS_TRUSTED: 'acme.greeter' });
  await shell.serve(t);
  const file = join(shell.env.HOME ?? '', 'bundle.zip');
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await shell.run(['extension', ...args]);
    t.same([code, stderr.replace(/^(created a signing key|back it up|signed with).*\n/gm, '')], [0, ''], args.join(' '));
    return stdout;
  };
  const rows = async (...args: string[]) =>
    (await run(...args))
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t'));
  for (const zip of [plugin, skill]) {
    await writeFile(file, zip);
    await run('publish', file);
  }

  t.match(await rows('reviews', '--status', 'under_review'), [
    ['acme.reports', '1.2.3', 'skill', 'under_review', 'admin'],
    ['acme.greeter', '1.0.0', 'plugin', 'under_review', 'admin'],
  ]);
  const reviewing = shell.terminal(['extension', 'review', 'acme.greeter', '1.0.0']);
  t.match((await reviewing.ended).stdout.replaceAll('\r', ''), /^permissions:\n {2}added: storage {2}true$/m);
  t.match(reviewing.stdout.replaceAll('\r', ''), /^publisher username: +admin$/m);
  t.match(await rows('approve', 'acme.greeter', '1.0.0'), [['acme.greeter', '1.0.0', 'plugin', 'approved']]);
  t.match(await rows('reject', 'acme.reports', '1.2.3', 'It says nothing'), [['acme.reports', '1.2.3', 'skill', 'rejected']]);
  t.match(await rows('search', 'greet', '--type', 'plugin'), [['acme.greeter', 'plugin', '1.0.0', 'Greeter', '0', '', 'Greets.']]);
  t.equal(await run('search', 'nothing is called so'), '');

  t.match(await shell.run(['extension', 'install', 'acme.greeter']), { code: 2, stdout: '', stderr: /--yes/ }, 'the command asks first');
  t.match(await rows('install', 'acme.greeter', '--yes'), [['acme.greeter', '1.0.0', '', 'true', '{"storage":true}']]);
  t.match(await rows('list'), [['acme.greeter', 'plugin', '1.0.0', 'active', 'false', '1.0.0', 'false']]);
  t.match(await shell.run(['x', 'acme.greeter', 'greet', '--name', 'Ada']), { code: 0, stdout: /Hello Ada/ });
  const elsewhere = shell.with({ PLATFORM_DATA_DIR: `${shell.data_dir}-elsewhere` });
  const named = await elsewhere.run(['--data-dir', shell.data_dir, 'x', 'acme.greeter', 'greet', '--name', 'Ada']);
  t.match(named, { code: 0, stdout: /Hello Ada/ }, 'the named installation is used');
  const info = shell.terminal(['extension', 'info', 'acme.greeter']);
  t.match((await info.ended).stdout.replaceAll('\r', ''), /^contributes:\n {2}operations: acme\.greeter\.greet$/m);
  t.match(info.stdout.replaceAll('\r', ''), new RegExp(`^versions:\\n {2}1\\.0\\.0\\s+${hashOf(plugin)}$`, 'm'));
  await run('download', 'acme.greeter', '1.0.0', '--out', `${file}.copy`);
  t.match(await rows('yank', 'acme.greeter', '1.0.0', 'It is rude'), [['acme.greeter', '1.0.0', 'plugin', 'yanked']]);
  t.match(await rows('list'), [['acme.greeter', 'plugin', '1.0.0', 'active', 'false', '1.0.0', 'true']]);
  t.match(await rows('rm', 'acme.greeter', '--yes'), [['acme.greeter', 'uninstalled']]);
  t.equal(await run('list'), '');
  t.match(await shell.run(['extension', 'info', 'acme.greeter']), { code: 3, stderr: /no approved version/ });
  t.match(await shell.run(['extension', 'rm', 'acme.greeter', '--yes']), {
    code: 3,
    stderr: /There is no extension 'acme.greeter'/,
  });
});
