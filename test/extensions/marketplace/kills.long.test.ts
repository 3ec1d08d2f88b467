import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { Shell } from '../../cli/shell.js';
import { sharedSettings } from '../../helpers/cluster.js';
import { becomes, until } from '../../helpers/eventually.js';
import { skipWithout } from '../../helpers/parts.js';
import { adminPassword, callerOf, ownExtension, startPlatform, temporaryFolder } from '../../helpers/platform.js';
import { hashOf } from '../../kernel/core/plugins/bundle.js';
import { clientOf, left } from './world.js';

const program = fileURLToPath(new URL('../../fixtures/publisher.js', import.meta.url));

/** Has versions published until one is accepted, and kills the platform some time after that; gives those that were accepted. */
async function killed(settings: object, first: number, after_ms: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, JSON.stringify(settings), String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const accepted: string[] = [];
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => accepted.push(line));
  await once(lines, 'line');
  await pause(after_ms);
  const exited = once(child, 'close');
  child.kill('SIGKILL');
  await exited;
  return accepted;
}

const each = async (t: Test, work: (t: Test, settings: object) => Promise<void>) => {
  await t.test('sqlite', async (t) => work(t, { data_dir: await temporaryFolder(t) }));
  await t.test('postgres', { skip: skipWithout('postgres', 'redis') }, async (t) => {
    await work(t, { ...(await sharedSettings(t)), data_dir: await temporaryFolder(t) });
  });
};

t.test('a process killed while publishing leaves each version whole or not at all', async (t) => {
  await each(t, async (t, settings) => {
    const given = { 'members.admin_password': adminPassword, ...settings };
    const accepted: string[] = [];
    for (const after_ms of [0, 15, 40, 90]) {
      const first = Number.parseInt(accepted.at(-1) ?? '0', 10) + 100;
      accepted.push(...(await killed(given, first, after_ms)));
    }
    let ahead = 0;
    const clock = { now: () => Date.now() + ahead };
    const platform = await startPlatform(t, { extensions: ['members', 'marketplace'].map(ownExtension), settings, clock });
    const admin = clientOf(platform);
    const { items, total } = await admin.marketplace.reviews({ limit: 200, offset: 0 });
    t.equal(items.length, total);
    const there = items.map(({ version }) => version);
    t.same(
      accepted.filter((version) => !there.includes(version)),
      [],
      `all ${accepted.length} accepted versions exist`,
    );
    for (const { id, version, content_hash } of items) {
      const { bytes } = await admin.marketplace.download({ id, version });
      t.equal(hashOf(bytes), content_hash, `${version} is complete`);
    }
    ahead = 2 * 3_600_000;
    await platform.kernel.invoke('maintenance.cleanup', {}, callerOf());
    await becomes(t, () => left(platform), {
      marketplace_extensions: 1,
      marketplace_versions: total,
      kernel_blobs: total,
      kernel_blob_holders: total,
    });
  });
});

t.test('the next start removes an interrupted upload', async (t) => {
  const data_dir = await temporaryFolder(t);
  const shell = new Shell(data_dir, { PLATFORM_DATA_DIR: data_dir });
  const server = await shell.serve(t);
  const token = await tokenOf(server.url);
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  t.teardown(() => socket.destroy());
  const lines = ['POST /api/marketplace/publish HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`, 'Content-Length: 40000000'];
  socket.write(`${[...lines, 'Content-Type: multipart/form-data; boundary=b'].join('\r\n')}\r\n\r\n`);
  socket.write(`--b\r\nContent-Disposition: form-data; name="bundle"; filename="bundle.zip"\r\n\r\n${'x'.repeat(1_000_000)}`);
  const uploads = async () => {
    const found = await readdir(join(data_dir, 'uploads'), { recursive: true, withFileTypes: true });
    return found.filter((entry) => entry.isFile());
  };
  await until(uploads, ({ length }) => length === 1);
  server.child.kill('SIGKILL');
  await server.ended;
  t.equal((await uploads()).length, 1);
  await shell.serve(t);
  t.same(await uploads(), []);
});

async function tokenOf(url: string): Promise<string> {
  const body = JSON.stringify({ username: 'admin', password: adminPassword });
  const answer = await fetch(`${url}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await answer.json()) as { access_token: string }).access_token;
}
