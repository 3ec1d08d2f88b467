import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { freshPostgres } from '../helpers/databases.js';
import { skipWithout } from '../helpers/parts.js';
import { asker, heldIn, NumberedWriter } from './numbered-writer.js';
import { type Shell, shellFor } from './shell.js';

type Env = Record<string, string>;

const writers = 4;

t.test('SQLite: a backup made under load is restored', (t) => backedUp(t, async () => ({})));

t.test('PostgreSQL: a backup made under load is restored', { skip: skipWithout('postgres') }, (t) =>
  backedUp(t, async () => ({ PLATFORM_DATABASE_URL: await freshPostgres() })),
);

async function backedUp(t: Test, database: () => Promise<Env>): Promise<void> {
  const shell = await shellFor(t, await database());
  const server = await shell.serve(t);
  const admin = await asker(server.url);
  await admin.post('/api/members', { username: 'ada', password: 'a password for ada', nickname: 'Ada' });
  const writing = await Promise.all(Array.from({ length: writers }, () => NumberedWriter.start(admin)));
  // Enough that the archive takes a while to be written.
  await Promise.all(writing.map((writer) => writer.reach(150)));

  const file = join(shell.env.HOME ?? '', 'backup.tar');
  const before = writing.map(({ acknowledged }) => acknowledged);
  const { code, stdout, stderr } = await shell.run(['backup', '--out', file, '--json']);
  const after = writing.map(({ acknowledged }) => acknowledged);
  t.match([code, JSON.parse(stdout || '{}')], [0, { missing_blobs: 0, path: file }], stderr);
  for (const writer of writing) await writer.stop();
  server.child.kill('SIGTERM');
  await server.ended;
  t.ok(
    before.every((count, index) => (after[index] ?? 0) > count),
    `writes went on meanwhile: ${before.join()} and ${after.join()}`,
  );

  const copy = await shellFor(t, await database());
  t.match(await copy.run(['restore', file]), { code: 0, stdout: /^Restored the backup of / });
  await copyFile(join(shell.data_dir, 'secret.key'), join(copy.data_dir, 'secret.key'));
  await allIsWell(t, copy);
  const again = await copy.serve(t);
  await allIsWell(t, copy);
  const there = await asker(again.url);
  for (const [index, writer] of writing.entries()) {
    const { numbers, images } = await heldIn(there, writer.session_id);
    const last = numbers.length;
    t.same(
      numbers,
      numbers.map((_number, at) => at + 1),
      'the messages are in order, each once and without gaps',
    );
    t.ok(last >= (before[index] ?? 0) && last <= (after[index] ?? 0) + 1, `${last} is between ${before[index]} and ${after[index]}`);
    const wanted = [...writer.pictures].flatMap(([number, hash]) => (number <= last ? [hash] : []));
    t.same(images, wanted, 'each image has its sent bytes');
  }
  const ada = await asker(again.url, 'ada', 'a password for ada');
  t.match(await ada.get('/api/auth/me'), { username: 'ada' }, 'logins and signing keys are those of before the backup');
  const writer = await NumberedWriter.start(there);
  await writer.reach(10);
  await writer.stop();

  await t.test('a truncated or altered archive changes nothing, and its target stays empty', async (t) => {
    const other = await shellFor(t, await database());
    const whole = await readFile(file);
    const altered = join(other.env.HOME ?? '', 'altered.tar');
    const changes = {
      cut: whole.subarray(0, (whole.byteLength >> 10) << 9),
      turned: turned(whole, writtenByte(whole, whole.byteLength >> 1)),
    };
    for (const [name, bytes] of Object.entries(changes)) {
      await writeFile(altered, bytes);
      t.match(
        await other.run(['restore', altered]),
        { code: 2, stdout: '', stderr: /^platform: The archive was truncated or altered since/ },
        name,
      );
      t.same((await readdir(other.env.HOME ?? '')).sort(), ['altered.tar'], 'no folder is created');
    }
    t.match(await other.run(['restore', file]), { code: 0 }, 'the complete archive is restored afterwards');
  });
}

/** The first byte from `start` on that isn't padding, which a tar fills with zeros and which carries nothing. */
function writtenByte(bytes: Buffer, start: number): number {
  return bytes.findIndex((byte, at) => at >= start && byte !== 0);
}

function turned(bytes: Buffer, at: number): Buffer {
  const altered = Buffer.from(bytes);
  altered[at] = (altered[at] ?? 0) ^ 1;
  return altered;
}

/** But for walls that this machine may refuse. */
async function allIsWell(t: Test, shell: Shell): Promise<void> {
  const { stdout } = await shell.run(['doctor', '--json']);
  const red = (JSON.parse(stdout) as { code: string; ok: boolean }[]).filter(({ ok, code }) => !ok && code !== 'plugin_walls');
  t.same(red, []);
}
