import { randomBytes } from 'node:crypto';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { serve } from '../extensions/marketplace/sources/world.js';
import { until } from '../helpers/eventually.js';
import { goodSkill, sha256, skillManifest } from '../kernel/platform/bundles/world.js';
import { zipOf } from '../kernel/platform/bundles/zip.js';
import { type Running, shellFor, withoutTerminal } from './shell.js';

const skill = (id: string, bytes: number) => {
  const manifest = { ...skillManifest, id };
  return { manifest, zip: zipOf([...goodSkill(manifest), { name: 'assets/noise.bin', content: randomBytes(bytes) }]) };
};

/** Returns the final screen, without cleared lines. */
const left = ({ stdout }: Running) =>
  stdout
    .split('\n')
    .map((line) => line.split('\r\u001B[K').at(-1))
    .join('\n');

t.test('uploads, installations and backups draw a bar on a terminal and remove it', { skip: withoutTerminal }, async (t) => {
  const far = skill('acme.far', 3_000_000);
  let goOn: () => void = () => undefined;
  const second = new Promise<void>((resolve) => (goOn = resolve));
  const index = JSON.stringify({
    platform_index: 1,
    items: [{ ...far.manifest, content_hash: sha256(far.zip), file: 'far.zip' }],
  });
  const mirror = await serve(t, ({ url }, response) => {
    if (url === '/index.json') return response.end(index);
    response.writeHead(200, { 'content-length': far.zip.length });
    response.write(far.zip.subarray(0, far.zip.length / 2));
    return void second.then(() => response.end(far.zip.subarray(far.zip.length / 2)));
  });
  const shell = await shellFor(t, { PLATFORM_UPSTREAM_REGISTRY: `${mirror.url}/index.json` });
  const server = await shell.serve(t);
  const stopped = async (running: Running, bar: RegExp) => {
    server.child.kill('SIGSTOP');
    await running.shows(bar).finally(() => server.child.kill('SIGCONT'));
  };
  const clean = async (running: Running, wanted: RegExp) => {
    t.match(await running.ended, { code: 0 }, running.stdout.slice(-500));
    t.match(left(running), wanted);
    t.notMatch(left(running), '%', 'nothing of the bar is left on the terminal');
  };

  await t.test('an upload draws a bar', async () => {
    const file = join(shell.env.HOME ?? '', 'near.zip');
    await writeFile(file, skill('acme.near', 24_000_000).zip);
    const publishing = shell.terminal(['extension', 'publish', file, '--no-sign']);
    await stopped(publishing, /uploading {2}\[=* +\] +\d+ % {2}[\d.]+ [KM]iB of 23 MiB/);
    await clean(publishing, /acme\.near/);
  });

  await t.test('an installation draws a bar', async () => {
    const installing = shell.terminal(['extension', 'install', 'acme.far', '--yes']);
    await installing.shows(/fetching {2}\[={12} +\] +(49|50) % {2}1\.4 MiB of 2\.9 MiB/);
    goOn();
    await clean(installing, /acme\.far/);
  });

  await t.test('a backup draws a bar', async () => {
    const folder = join(shell.data_dir, 'files', 'chat');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'ballast'), Buffer.alloc(100_000_000));
    const saving = shell.terminal(['backup']);
    const backups = join(shell.data_dir, 'backups');
    await until(
      () => draftBytes(backups),
      (bytes) => bytes > 1_000_000,
      20_000,
    );
    await stopped(saving, /writing the archive {2}\[=* +\] +\d+ % {2}[\d.]+ [KM]iB of 1\d\d MiB/);
    await clean(saving, /\.tar/);
  });
});

/** How much is there of the archive that is written. */
async function draftBytes(backups: string): Promise<number> {
  const names = (await readdir(backups, { recursive: true }).catch(() => [])).filter((name) => /^draft-.*\.tar$/.test(name));
  const sizes = await Promise.all(names.map((name) => stat(join(backups, name)).catch(() => undefined)));
  return sizes.reduce((sum, stats) => sum + (stats?.size ?? 0), 0);
}
