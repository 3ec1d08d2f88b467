import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { direct } from '../../../../kernel/client/direct.js';
import { http } from '../../../../kernel/client/http.js';
import type { OperationData } from '../../../../kernel/contract/manifest.js';
import type { Step } from '../../../../kernel/contract/operation.js';
import type { BackupRecord, BackupReport } from '../../../../kernel/contract/system.js';
import { verifyBackup } from '../../../../kernel/platform/backup/archive-reader.js';
import { eachPlatform, startCluster } from '../../../helpers/cluster.js';
import { eachDatabase, temporaryFolder } from '../../../helpers/databases.js';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { adminPassword, callerOf, fixture, ownExtension, startPlatform, type TestPlatform } from '../../../helpers/platform.js';
import { installation, never } from '../backup/world.js';

const extensions = [ownExtension('members'), fixture('ledger')];

const ask = async <Body>({ kernel }: TestPlatform, operation: string, input: object = {}): Promise<Body> =>
  (await kernel.invoke(operation, input, callerOf())).body as Body;
const backup = (platform: TestPlatform, keep?: number) =>
  ask<BackupReport>(platform, 'maintenance.backup', keep === undefined ? {} : { keep });
const list = (platform: TestPlatform) => ask<BackupRecord[]>(platform, 'backups.list');

/** Makes a backup take a while. */
async function ballast({ data_dir }: TestPlatform): Promise<void> {
  await mkdir(join(data_dir, 'files', 'ledger'), { recursive: true });
  await writeFile(join(data_dir, 'files', 'ledger', 'ballast'), Buffer.alloc(60_000_000));
}

t.test('backups are made, listed, rotated, and deleted by name', (t) =>
  eachPlatform(t, { extensions }, async (t, platform) => {
    t.same(await list(platform), []);
    const first = await backup(platform);
    t.match(first, { file: /^\d{8}T\d{9}Z-[0-9a-f]{8}\.tar$/, removed: [], missing_blobs: 0, needs_secret_key: true });
    const folder = join(platform.data_dir, 'backups');
    t.equal((await stat(folder)).mode & 0o777, 0o700);
    t.equal((await verifyBackup(join(folder, first.file))).migrations.ledger?.[0], '0001-entries');
    const names = ['20200101T000000000Z-00000001.tar', '20200102T000000000Z-00000001.tar'];
    for (const name of names) await writeFile(join(folder, name), 'old');
    await writeFile(join(folder, 'notes.txt'), 'not ours');
    t.match(await list(platform), [
      { file: first.file, bytes: first.bytes },
      { file: names[1], created_at: '2020-01-02T00:00:00.000Z' },
      { file: names[0], bytes: 3 },
    ]);
    const second = await backup(platform, 2);
    t.same(second.removed, [names[1], names[0]]);
    t.same((await readdir(folder)).sort(), [first.file, second.file, 'notes.txt'].sort());
    await platform.kernel.invoke('backups.delete', { file: first.file }, callerOf());
    t.same(
      (await list(platform)).map(({ file }) => file),
      [second.file],
    );
    await t.rejects(ask(platform, 'backups.delete', { file: first.file }), { code: 'backup_not_found' });
    for (const file of ['../secret.key', 'notes.txt', `${second.file}/..`, `x/${second.file}`])
      await t.rejects(ask(platform, 'backups.delete', { file }), { code: 'invalid_input' }, file);
  }),
);

t.test('an archive is returned in chunks', async (t) => {
  const platform = await startPlatform(t, { extensions });
  const { file, bytes, sha256 } = await backup(platform);
  const hash = createHash('sha256');
  for (let offset = 0; offset < bytes; ) {
    const piece = await ask<{ bytes: Buffer }>(platform, 'backups.read', { file, offset, bytes: 70_001 });
    hash.update(piece.bytes);
    offset += piece.bytes.length;
  }
  t.equal(hash.digest('hex'), sha256);
  await t.rejects(ask(platform, 'backups.read', { file: 'secret.key' }), { code: 'invalid_input' });
  await t.rejects(ask(platform, 'backups.read', { file, bytes: 17 * 1024 * 1024 }), { code: 'invalid_input' });
});

t.test('backups and deletions are audited', async (t) => {
  const platform = await startPlatform(t, { extensions });
  const { file } = await backup(platform);
  await ask(platform, 'backups.delete', { file });
  const { RowReader } = await import('../../../operations/bad-input/rows.js');
  const reader = await RowReader.open('sqlite:', platform.data_dir);
  t.teardown(() => reader.close());
  const rows = (await reader.read()).get('kernel_audit')?.map((row) => JSON.parse(row) as { operation: string; input: string }) ?? [];
  t.match(
    rows.find(({ operation }) => operation === 'maintenance.backup'),
    { input: '{"keep":7}' },
  );
  t.match(
    rows.find(({ operation }) => operation === 'backups.delete'),
    { input: new RegExp(file) },
  );
});

t.test('a second concurrent backup is rejected', (t) =>
  eachPlatform(t, { extensions }, async (t, platform) => {
    await ballast(platform);
    const results = await Promise.allSettled([backup(platform), backup(platform), backup(platform)]);
    t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const result of results) if (result.status === 'rejected') t.match(result.reason, { code: 'maintenance_running', status: 409 });
    t.equal((await list(platform)).length, 1);
    t.ok(await backup(platform), 'two backups run one after the other');
  }),
);

t.test('two instances make one backup at a time', { skip: skipWithout('postgres', 'redis') }, async (t) => {
  const [one, two] = (await startCluster(t, 2, { extensions })) as [TestPlatform, TestPlatform];
  await ballast(one);
  const running = backup(one);
  await until(
    () => readdir(join(one.data_dir, 'backups')).catch(() => []),
    (names) => names.length > 0,
  );
  await t.rejects(backup(two), { code: 'maintenance_running' });
  t.same(await list(two), [], 'each instance lists the archives of its own folder');
  await running;
  t.ok(await backup(two));
});

t.test('the next start removes an unfinished backup and keeps complete ones', (t) =>
  eachPlatform(t, { extensions }, async (t, platform, again) => {
    const { file } = await backup(platform);
    await platform.kernel.close();
    const folder = join(platform.data_dir, 'backups');
    await mkdir(join(folder, 'draft-0123abcd'));
    await writeFile(join(folder, 'draft-0123abcd', 'half.tar'), 'half');
    const next = await startAgain(t, platform, again);
    t.same(await readdir(folder), [file]);
    t.same(
      (await list(next)).map((each) => each.file),
      [file],
    );
  }),
);

/** On PostgreSQL each start has a folder of its own, but here the same. */
async function startAgain(t: Test, platform: TestPlatform, again: () => Promise<TestPlatform>): Promise<TestPlatform> {
  if (platform.database_url.startsWith('sqlite:')) return again();
  const settings = { data_dir: platform.data_dir, database_url: platform.database_url, secret_key: 'a master key for tests, 32 chars' };
  return startPlatform(t, { extensions, settings });
}

t.test('a platform stopping during a backup stops in time and leaves nothing of it', (t) =>
  eachPlatform(t, { extensions }, async (t, platform) => {
    await ballast(platform);
    const folder = join(platform.data_dir, 'backups');
    const failed = backup(platform).catch((fault: unknown) => fault);
    await until(
      () => readdir(folder).catch(() => []),
      (names) => names.length > 0,
    );
    const begun = Date.now();
    await platform.kernel.close();
    t.ok(Date.now() - begun < 10_000);
    const result = await failed;
    const names = await readdir(folder);
    t.ok(
      names.every((name) => name.endsWith('.tar')),
      `the archive is complete or missing: ${names.join()}`,
    );
    if (names.length === 0) t.match(result, { code: 'shutting_down' });
    else t.match(result, { file: names[0] }, 'the archive was already complete');
  }),
);

/** Opens files that are full after so many bytes. */
const fullAfter = (bytes: number) => async (path: string, flags: string, mode: number) => {
  const handle = await open(path, flags, mode);
  let left = bytes;
  const append = handle.appendFile.bind(handle);
  handle.appendFile = async (data, options) => {
    left -= (data as Buffer).byteLength;
    if (left < 0) throw Object.assign(new Error(`ENOSPC: no space left on device, write '${path}'`), { code: 'ENOSPC' });
    return append(data, options);
  };
  return handle;
};

t.test('a full disk is reported and leaves no files', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const blobs = installation(data, place).blobs.of('x');
    for (const name of ['a', 'b', 'c']) await blobs.hold(name, [await blobs.put(Buffer.alloc(1_500_000, name))]);
    const whole = await installation(data, place).backup();
    for (const bytes of [0, 1_000_000, 3_000_000, whole.bytes - 1]) {
      const full = installation(data, place, { openFile: fullAfter(bytes) });
      await t.rejects(
        full.backup(),
        { code: 'backup_failed', status: 500, message: /no space is left on the disk/ },
        `the disk was full after ${bytes} bytes`,
      );
      t.same(await readdir(join(place.data_dir, 'backups')), [whole.file]);
    }
    const fault = await installation(data, place, { openFile: fullAfter(0) })
      .backup()
      .catch((thrown: Error) => thrown);
    t.notMatch(fault, { message: place.data_dir }, 'the message contains no path');
    t.ok(await installation(data, place, { openFile: fullAfter(whole.bytes * 2) }).backup());
  }),
);

t.test('an aborted backup ends soon and leaves nothing', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const { backups, blobs } = installation(data, place);
    for (let at = 0; at < 20; at += 1) await blobs.of('x').hold(`${at}`, [await blobs.of('x').put(Buffer.alloc(300_000, at))]);
    const aborting = new AbortController();
    const running = backups.create({ keep: 7, signal: aborting.signal });
    aborting.abort(new Error('enough'));
    await t.rejects(running, { message: 'enough' });
    t.same(await readdir(join(place.data_dir, 'backups')), []);
    t.ok(await backups.create({ keep: 7, signal: never() }));
  }),
);

t.test('a folder that cannot be written is reported', async (t) =>
  eachDatabase(t, async (t, data, place) => {
    await writeFile(join(place.data_dir, 'backups'), 'a file in its place');
    await t.rejects(installation(data, place).backup(), { code: 'backup_failed' });
    t.equal(await readFile(join(place.data_dir, 'backups'), 'utf8'), 'a file in its place');
  }),
);

t.test('a clock set back deletes no archive with a newer name', async (t) => {
  const folder = await temporaryFolder(t);
  const platform = await startPlatform(t, { extensions, settings: { data_dir: folder } });
  await mkdir(join(folder, 'backups'));
  const later = '20990101T000000000Z-00000001.tar';
  await writeFile(join(folder, 'backups', later), 'x');
  const { file, removed } = await backup(platform, 1);
  t.same(
    { file: (await list(platform)).map((each) => each.file), removed },
    { file: [later, file], removed: [] },
    'the new one is never removed',
  );
});

t.test('the oldest of archives made in the same moment is removed first', async (t) => {
  const platform = await startPlatform(t, { extensions });
  const made: string[] = [];
  for (let round = 0; round < 6; round += 1) {
    const { file, removed } = await backup(platform, 2);
    made.push(file);
    t.same(
      removed,
      made.slice(round - 2, round - 1).filter(() => round >= 2),
      `after ${round + 1}`,
    );
  }
  t.same(
    (await list(platform)).map(({ file }) => file),
    made.slice(-2).reverse(),
  );
});

t.test('the progress of a backup is reported over HTTP and in-process', (t) =>
  eachPlatform(t, { extensions }, async (t, platform) => {
    await ballast(platform);
    const { url, kernel } = platform;
    const caller = callerOf();
    const { access_token: token } = await ask<{ access_token: string }>(platform, 'auth.login', {
      username: 'admin',
      password: adminPassword,
    });
    const operation = kernel.operations()['maintenance.backup'] as OperationData;
    for (const way of [http({ url, token }), direct(kernel, caller)]) {
      const told: Step[] = [];
      const options = { progress: (step: Step) => void told.push(step) };
      const { body } = await way.call({ id: 'maintenance.backup', operation, input: {}, options });
      t.match(body, { file: String, needs_secret_key: true });
      const last = told.at(-1);
      t.match(last, { doing: 'writing the archive', done: Number, total: Number });
      const { done = 0, total = 0 } = last ?? {};
      t.ok(total > 60_000_000 && done > 0 && done <= total * 1.1, `${done} of ${total}`);
      t.ok(told.length < 100, `progress was reported ${told.length} times`);
      await way.close();
    }
  }),
);
