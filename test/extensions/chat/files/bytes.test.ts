import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import t from 'tap';
import type { SystemApi } from '../../../../kernel/contract/system.js';
import { until } from '../../../helpers/eventually.js';
import { callerOf, startPlatform } from '../../../helpers/platform.js';
import { administrator, failureOf, someone } from '../world.js';
import { upload } from './uploads.js';

const absent = { code: 'file_not_found', status: 404 };
const hour_ms = 3_600_000;

t.test('bytes leave the disk with the last file that has them', async (t) => {
  const platform = await startPlatform(t);
  const [{ http: ada }, { http: ben }] = [await someone(t, platform), await someone(t, platform)];
  const hash = createHash('sha256').update('The same').digest('hex');
  const there = () => existsSync(`${platform.data_dir}/blobs/${hash.slice(0, 2)}/${hash.slice(2)}`);
  const sent = [];
  for (const client of [ada, ben]) {
    const { id } = await upload(client, 'a.txt', 'The same');
    sent.push(await client.chat.send({ content: '', files: [id], target_type: '' }));
  }
  await ada.messages.delete({ message_id: sent[0]?.message_id as string });
  t.ok(there());
  await ben.messages.delete({ message_id: sent[1]?.message_id as string });
  await until(there, (still) => !still);
});

t.test('a file that no message names is removed after an hour, and frees its quota', async (t) => {
  let shift_ms = 0;
  const platform = await startPlatform(t, { clock: { now: () => Date.now() + shift_ms } });
  const clean = async () => {
    const { body } = await platform.kernel.invoke('maintenance.cleanup', {}, callerOf());
    return (body as SystemApi['maintenance.cleanup']['answer']).removed.find(({ name }) => name === 'chat.files')?.rows;
  };
  const admin = administrator(platform);
  const unsent = await upload(admin, 'unsent.txt', '12345');
  const sent = await upload(admin, 'sent.txt', '123');
  await admin.chat.send({ content: '', files: [sent.id], target_type: '' });
  shift_ms = hour_ms - 60_000;
  t.equal(await clean(), 0);
  t.match(await admin.files.get({ file_id: unsent.id }), { save_as: 'unsent.txt' });
  shift_ms = hour_ms + 60_000;
  t.equal(await clean(), 1);
  t.same(await failureOf(admin.files.get({ file_id: unsent.id })), absent);
  t.match(await admin.files.get({ file_id: sent.id }), { save_as: 'sent.txt' });
  t.match(await admin.chat.usage(), { bytes: 3 });
});

t.test('a file has at most 50 MiB', async (t) => {
  const platform = await startPlatform(t);
  const { http, direct } = await someone(t, platform);
  const bytes = Buffer.alloc(50 * 1024 * 1024);
  const { id } = await upload(http, 'large.bin', bytes);
  t.equal((await http.files.get({ file_id: id })).bytes.length, bytes.length);
  const larger = Buffer.alloc(bytes.length + 1);
  for (const client of [http, direct])
    t.same(await failureOf(upload(client, 'larger.bin', larger)), { code: 'payload_too_large', status: 413 });
  t.match(await http.chat.usage(), { bytes: bytes.length }, 'nothing of it is counted');
});
