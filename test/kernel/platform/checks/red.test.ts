import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../../helpers/eventually.js';
import { fixture, ownExtension, startPlatform } from '../../../helpers/platform.js';
import { checkOf, checksOf } from './world.js';

const inside = { listen: false, background: false };

t.test('a database locked by another program is red, with file, time and remedy', async (t) => {
  const platform = await startPlatform(t, { ...inside, extensions: [] });
  t.match(await checkOf(platform, 'database_held'), { ok: true, since: null, fix: null });
  const holder = await holderOf(t, join(platform.data_dir, 'platform.db'));
  const found = await checkOf(platform, 'database_held');
  t.match(found, { ok: false, message: new RegExp(`platform\\.db is locked by process ${holder.pid} \\(node\\)$`) });
  t.equal(found?.fix, `end it with: kill ${holder.pid}`);
  t.ok(Math.abs(Date.parse(found?.since ?? '') - holder.begun) < 15_000, `${found?.since}: it began then`);
  holder.end();
  await until(
    () => checkOf(platform, 'database_held'),
    (check) => check?.ok === true,
  );
});

/** A process of its own that has begun to write, and doesn't end it. */
async function holderOf(t: Test, file: string): Promise<{ pid: number; begun: number; end: () => void }> {
  const code = `const { Database } = require(${JSON.stringify(createRequire(import.meta.url).resolve('sqlite3'))});
    const db = new Database(process.argv[1]);
    db.exec('BEGIN IMMEDIATE', (error) => console.log(error ?? 'held'));
    process.stdin.resume().on('end', () => process.exit());`;
  const begun = Date.now();
  const child = spawn(process.execPath, ['-e', code, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  t.equal(line.toString(), 'held\n');
  return { pid: child.pid ?? 0, begun, end: () => child.stdin.end() };
}

t.test('used-up seats are red, with the setting to raise them', async (t) => {
  const platform = await startPlatform(t, { ...inside, extensions: [ownExtension('members')], settings: { 'members.seats': 1 } });
  t.match(await checkOf(platform, 'seats'), {
    ok: false,
    message: '1 of 1 seats are taken: nobody can be added',
    fix: /^PLATFORM_SEATS=11 platform serve; or free one with: platform member list/,
  });
});

t.test('a failed extension is red since its failure', async (t) => {
  const before = Date.now();
  const platform = await startPlatform(t, { extensions: [fixture('broken-activate'), fixture('hello')], background: false });
  const found = await checkOf(platform, 'extension_failed');
  t.match(found, { extension: 'broken-activate', ok: false, message: /failed to start/ });
  const since = Date.parse(found?.since ?? '');
  t.ok(since >= before && since <= Date.now(), found?.since ?? 'null');
  const ready = await fetch(`${platform.url}/readyz`);
  t.equal(ready.status, 503);
  t.ok((await checksOf(platform)).every(({ ok, fix, since }) => !ok || (fix === null && since === null)));
});

const engine = existsSync('/var/run/docker.sock') && 'this machine has an engine of its own';

t.test('a missing engine is not reported if none is needed', { skip: engine }, async (t) => {
  const platform = await startPlatform(t, { ...inside, extensions: ['members', 'nodes'].map(ownExtension) });
  t.equal(await checkOf(platform, 'engine'), undefined);
});
