import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { removeTree } from '../../../kernel/core/plugins/remove-tree.js';
import { verifyBackup } from '../../../kernel/platform/backup/archive-reader.js';
import { folderEntries } from '../../../kernel/platform/backup/folder-entries.js';
import { eachDatabase, temporaryFolder } from '../../helpers/databases.js';
import { pluginZip } from '../../kernel/core/plugins/bundle.js';
import { startWorld } from '../../kernel/core/plugins/world.js';
import { installation, restored } from '../../kernel/platform/backup/world.js';
import { folderCases } from './folders.js';

const quota = { files: 1_000, bytes: 16_000_000 };

t.test('a backup with files of a hostile plugin is complete', (t) =>
  eachDatabase(t, async (t, data, place) => {
    // The folders are the same beside any database.
    if (data.dialect !== 'sqlite') return;
    for (const [at, { script }] of folderCases.entries()) {
      const folder = join(place.data_dir, 'files', `plugin${at}`);
      mkdirSync(folder, { recursive: true });
      execFileSync('sh', ['-c', script], { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] });
    }
    const here = installation(data, place, { quotaOf: () => quota });
    const { path, bytes } = await here.backup();
    t.ok(bytes < 64_000_000, `${bytes} bytes`);
    const { entries } = await verifyBackup(path);
    const told = here.warnings.join('\n');
    for (const [at, { name, left_out, kept }] of folderCases.entries()) {
      if (kept)
        t.match(
          entries.find((entry) => entry.name === `files/plugin${at}/${kept.name}`),
          { bytes: kept.bytes },
          name,
        );
      const [, why] = new RegExp(`"files/plugin${at}[/"][^}]*?"why":"([^"]*)"`).exec(told.replaceAll('\\"', '')) ?? [];
      t.match(why, left_out === undefined ? undefined : new RegExp(left_out), name);
    }
    await restored(t, path, data);
    await removeTree(join(place.data_dir, 'files'));
    t.notOk(existsSync(join(place.data_dir, 'files')), 'a purge removes the whole folder');
  }),
);

t.test('a file truncated while it is read is padded with zeros', async (t) => {
  const data_dir = await temporaryFolder(t);
  mkdirSync(join(data_dir, 'files/xx'), { recursive: true });
  const path = join(data_dir, 'files/xx/log');
  writeFileSync(path, Buffer.alloc(1_000_000, 'x'));
  const told: string[] = [];
  const entries = folderEntries({
    data_dir,
    folder: 'files',
    quotaOf: () => undefined,
    leftOut: (name, why) => void told.push(`${name}: ${why}`),
  });
  for await (const { bytes, content } of entries) {
    let [length, zeros] = [0, 0];
    for await (const piece of content) {
      truncateSync(path, 0);
      length += piece.length;
      zeros += piece.filter((byte) => byte === 0).length;
    }
    t.same([bytes, length], [1_000_000, 1_000_000]);
    t.ok(zeros > 500_000);
  }
  t.match(told, [/^files\/xx\/log: it became shorter/]);
});

t.test('a plugin that has filled its folder does not start and reports why', async (t) => {
  const { install, ask } = await startWorld(t, { settings: { 'plugins.files': 10 } });
  const fill = (count: number) => `
    ctx.expose({ 'guest.greet': op('greet') }, { 'guest.greet': () => 'hi' });
    const folder = await ctx.files();
    for (let n = 0; n < ${count}; n += 1) require('node:fs').writeFileSync(folder + '/' + n, '');`;
  await install(pluginZip({ activate: fill(11) }));
  t.equal(await ask('guest.greet'), 'hi', 'the plugin runs until the next check of its folder');
  await t.rejects(install(pluginZip({ version: '2.0.0', activate: fill(0) })), {
    code: 'extension_failed',
    message: /more than 10 files or \d+ bytes in its own folder/,
  });
});
