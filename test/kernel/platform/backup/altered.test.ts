import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { isFailure } from '../../../../kernel/contract/index.js';
import { restoreBackup } from '../../../../kernel/platform/backup/restore.js';
import type { Data } from '../../../../kernel/platform/data/hub.js';
import { eachDatabase, type Place } from '../../../helpers/databases.js';
import { emptyPlace, installation, rowsIn } from './world.js';

/** Where an entry lies in a tar. */
interface Member {
  name: string;
  header: number;
  content: number;
  bytes: number;
}

const block = 512;

/** As POSIX has it (`ustar`): the name first, the size in octal at 124. */
function membersOf(tar: Buffer): Member[] {
  const members: Member[] = [];
  for (let header = 0; header < tar.byteLength && tar[header] !== 0; ) {
    const name = tar.toString('latin1', header, header + 100).replace(/\0.*$/s, '');
    const bytes = Number.parseInt(tar.toString('latin1', header + 124, header + 136), 8);
    members.push({ name, header, content: header + block, bytes });
    header += block + Math.ceil(bytes / block) * block;
  }
  return members;
}

/** The sum of a header's bytes, its own field taken for spaces. */
function summed(header: Buffer): Buffer {
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

function flipped(tar: Buffer, at: number): Buffer {
  const altered = Buffer.from(tar);
  altered[at] = (altered[at] ?? 0) ^ 1;
  return altered;
}

/** An archive of everything that one can hold. */
async function archiveOf(data: Data, place: Place): Promise<Buffer> {
  const here = installation(data, place);
  const own = here.blobs.of('chat');
  await own.hold('one', [await own.put(randomBytes(3_000)), await own.put(randomBytes(10))]);
  for (const folder of ['files/chat', 'extensions/x/1']) {
    await mkdir(join(place.data_dir, folder), { recursive: true });
    await writeFile(join(place.data_dir, folder, 'file'), `in ${folder}`);
  }
  return readFile((await here.backup()).path);
}

/** Archives that nobody wrote, by what was done to them. */
function* alterations(tar: Buffer): Generator<[string, Buffer]> {
  const members = membersOf(tar);
  for (const { name, header, content, bytes } of members) {
    for (const at of [0, 130, 148]) yield [`${name}: byte ${at} of its header`, flipped(tar, header + at)];
    for (const at of new Set([0, bytes >> 1, bytes - 1])) yield [`${name}: byte ${at} of ${bytes}`, flipped(tar, content + at)];
    const end = Buffer.alloc(2 * block);
    for (const at of [header, header + 1, content, content + (bytes >> 1), content + bytes]) {
      yield [`${name}: cut at ${at}`, tar.subarray(0, at)];
      yield [`${name}: cut at ${at} and closed`, Buffer.concat([tar.subarray(0, Math.floor(at / block) * block), end])];
    }
  }
  const [first] = members;
  const sealed = members.find(({ name }) => name === 'manifest.json');
  const seal = members.at(-1);
  if (!first || !sealed || !seal) throw new Error('An archive has entries, a manifest and a seal');
  const other = Buffer.from(tar);
  other.write(createHash('sha256').update('another').digest('hex'), seal.content, 'latin1');
  yield ['the hash of another manifest', other];
  const added = (name: string) => {
    const header = Buffer.from(tar.subarray(first.header, first.content));
    header.fill(0, 0, 100).write(name, 0, 'latin1');
    header.write('00000000005\0', 124, 'latin1');
    const content = Buffer.alloc(block);
    content.write('added');
    return Buffer.concat([tar.subarray(0, sealed.header), summed(header), content, tar.subarray(sealed.header)]);
  };
  yield ['a file that was added', added('files/chat/added')];
  for (const name of ['files/../../escaped', '/tmp/escaped', 'files/chat/../../escaped', 'secret.key', 'blobs/../escaped'])
    yield [`a path that leads elsewhere: ${name}`, added(name)];
}

t.test('any altered archive is rejected with a sentence, and the target stays empty', (t) =>
  eachDatabase(t, async (t, data, place) => {
    const whole = await archiveOf(data, place);
    const target = await emptyPlace(t, data);
    const file = join(place.data_dir, 'altered.tar');
    let tried = 0;
    for (const [what, bytes] of alterations(whole)) {
      await writeFile(file, bytes);
      await refused(t, what, () => restoreBackup(file, target));
      tried += 1;
    }
    t.ok(tried > 100, `${tried} alterations were tried`);
    t.same(await readdir(target.data_dir), []);
    if (data.dialect === 'postgres') t.same([...(await rowsIn(target)).keys()], []);
    await writeFile(file, whole);
    await restoreBackup(file, target);
    t.ok((await rowsIn(target)).size > 5, 'the complete archive can be restored to the same place');
  }),
);

async function refused(t: Test, what: string, work: () => Promise<unknown>): Promise<void> {
  const fault = await work().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const told =
    isFailure(fault) &&
    /^backup_(damaged|format_unknown)$/.test(fault.code) &&
    /^(The archive was|This is not a backup)/.test(fault.message);
  if (!told) t.fail(what, { fault: String(fault) });
}
