import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import type { Step } from '../../../../kernel/core/plugins/plugins.js';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { silentLog, systemClock } from '../../../helpers/databases.js';
import { fixture, temporaryFolder } from '../../../helpers/platform.js';
import { hashOf, pluginZip } from './bundle.js';
import { foldersOf, startWorld } from './world.js';

const program = fileURLToPath(new URL('../../../fixtures/installer.js', import.meta.url));

/** Runs the platform that does the deed, and is killed at the step. */
async function run(data_dir: string, step: Step | '-', deed: readonly string[]): Promise<NodeJS.Signals | number | null> {
  const child = spawn(process.execPath, [program, data_dir, step, ...deed], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return signal ?? code;
}

const version = (n: number) =>
  pluginZip({
    version: `${n}.0.0`,
    permissions: { storage: true },
    activate: `ctx.expose({ 'guest.version': op('version'), 'guest.kept': op('kept') }, {
      'guest.version': () => ${n},
      'guest.kept': async () => { const [file, before] = [await ctx.files() + '/kept', await ctx.storage.get('k') ?? null]; await ctx.storage.set('k', 1);
        const there = require('node:fs').existsSync(file); require('node:fs').writeFileSync(file, ''); return [there, before]; },
    });`,
  });
const [one, two] = [version(1), version(2)];

/** A data folder in which version 1 is installed and has data. */
async function prepared(t: Test): Promise<{ data_dir: string; zip: (bytes: Buffer) => Promise<string> }> {
  const data_dir = await temporaryFolder(t);
  const world = await startWorld(t, { extensions: [fixture('market')], settings: { data_dir } });
  await world.install(one);
  await world.ask('guest.kept');
  await world.kernel.close();
  const files = await temporaryFolder(t);
  const zip = async (bytes: Buffer) => {
    await writeFile(join(files, 'bundle.zip'), bytes);
    return join(files, 'bundle.zip');
  };
  return { data_dir, zip };
}

/** As a version does that ends while its removal goes on. */
async function wroteAsItEnded(data_dir: string): Promise<void> {
  const data = await openData({ url: 'sqlite:', data_dir, clock: systemClock, log: silentLog });
  await data.facade('kernel').run("INSERT INTO kernel_storage (extension, key, value) VALUES ('guest', 'k', '2')");
  await data.close();
}

const folderOf = (zip: Buffer) => `guest/${hashOf(zip).slice(7, 15)}`;

for (const [step, n] of [
  ['checked', 1],
  ['unpacked', 1],
  ['activated', 1],
  ['committed', 2],
  ['published', 2],
  ['cleared', 2],
  ['-', 2],
] as const) {
  t.test(`a server killed during an installation, when it was ${step}, has exactly version ${n} after the restart`, async (t) => {
    const { data_dir, zip } = await prepared(t);
    t.equal(await run(data_dir, step, ['install', await zip(two)]), step === '-' ? 0 : 'SIGKILL');
    const world = await startWorld(t, { extensions: [fixture('market')], settings: { data_dir } });
    t.equal(await world.ask('guest.version'), n);
    t.match(await world.installed(), [{ version: `${n}.0.0`, state: 'active' }]);
    t.same(await foldersOf(data_dir), [folderOf(n === 1 ? one : two)]);
    t.same(await world.ask('guest.kept'), [true, 1], "the plugin's data is kept");
  });
}

for (const [step, there] of [
  ['deleted', false],
  ['stopped', false],
  ['cleared', false],
] as const) {
  t.test(`a plugin is gone with its data if the server was killed in the removal after it was ${step}`, async (t) => {
    const { data_dir } = await prepared(t);
    t.equal(await run(data_dir, step, ['uninstall', 'guest']), 'SIGKILL');
    if (step !== 'cleared') await wroteAsItEnded(data_dir);
    const world = await startWorld(t, { extensions: [fixture('market')], settings: { data_dir } });
    t.equal((await world.installed()).length > 0, there);
    t.same(await foldersOf(data_dir), []);
    t.same(await readdir(join(data_dir, 'files')).catch(() => []), []);
    await world.install(one);
    t.same(await world.ask('guest.kept'), [false, null]);
  });
}

t.test('the start removes what a killed process left in the folder of bundles', async (t) => {
  const { data_dir } = await prepared(t);
  const bundles = join(data_dir, 'extensions');
  for (const folder of ['.incoming', 'guest/.0000.unpacking', 'guest/0000', 'stranger/0000']) {
    await mkdir(join(bundles, folder), { recursive: true });
    await writeFile(join(bundles, folder, 'left'), '');
  }
  await mkdir(join(bundles, '.purging'), { recursive: true });
  await writeFile(join(bundles, '.purging', 'guest'), '');
  const world = await startWorld(t, { extensions: [fixture('market')], settings: { data_dir } });
  t.same(await foldersOf(data_dir), [folderOf(one)]);
  t.same(await world.ask('guest.kept'), [true, 1], 'a purge interrupted before the removal keeps the data');
});
