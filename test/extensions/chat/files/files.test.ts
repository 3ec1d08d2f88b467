import { createHash } from 'node:crypto';
import t from 'tap';
import { connect as openSocket } from '../../../kernel/platform/http/socket/client.js';
import { png } from '../pictures.js';
import { people, roomOf } from '../room-members.js';
import { onOneAndTwo } from '../scribe.js';
import { administrator, collect, failureOf, onEachPlatform, type Someone, someone } from '../world.js';
import { sendFile, upload } from './uploads.js';

const absent = { code: 'file_not_found', status: 404 };

t.test('a file of a message is in answers, streams and frames, and is saved, not shown, by a browser', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const [ada, ben] = [await someone(t, one), await someone(t, two)];
    const { session_id } = await ada.http.contacts.start({ member_id: ben.id });
    const socket = await openSocket(t, two.url, { token: ben.token });
    await socket.next('hello');
    const bytes = Buffer.from('<script>alert(1)</script>');
    const file = await upload(ada.http, 'Grüße "1".html', bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    t.same(file, { id: file.id, name: 'Grüße _1_.html', mime_type: 'text/html', bytes: 25, sha256 });
    const { message_id } = await ada.http.chat.send({ content: '', files: [file.id], session_id });
    const message = await ben.http.messages.get({ message_id });
    t.same(message.files, [file]);
    t.same(await ben.http.messages.list({ session_id, limit: 50 }), [message]);
    t.match((await socket.next('message.created')).data, { message: { id: message_id, files: [file] }, truncated: false });
    t.match(await ben.http.sessions.get({ session_id }), { last_message_preview: 'Grüße _1_.html', unread_count: 1 });
    t.match((await collect(ben.http.messages.stream({ message_id })))[0], { data: { message: { files: [file] } } });

    const answer = await fetch(`${two.url}/api/chat/files/${file.id}`, { headers: { authorization: `Bearer ${ben.token}` } });
    t.equal(await answer.text(), bytes.toString());
    t.match(Object.fromEntries(answer.headers), {
      'content-type': 'text/html',
      'content-disposition': `attachment; filename="Gr__e _1_.html"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20_1_.html`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': /sandbox/,
      'cache-control': 'private, no-cache',
      etag: `"${sha256}"`,
    });
    const saved = { mime_type: 'text/html', bytes, etag: sha256, save_as: 'Grüße _1_.html' };
    for (const client of [ben.http, ben.direct]) t.same(await client.files.get({ file_id: file.id }), saved);
  });
});

t.test('an image is shown by a browser, if its bytes are one', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const ada = await someone(t, platform);
    const picture = await upload(ada.http, 'a.txt', png());
    const fake = await upload(ada.http, 'a.png', '<script>alert(1)</script>');
    t.same(await ada.http.files.get({ file_id: picture.id }), { mime_type: 'image/png', bytes: png(), etag: picture.sha256 });
    t.match(await ada.http.files.get({ file_id: fake.id }), { mime_type: 'application/octet-stream', save_as: 'a.png' });
  });
});

t.test('only those who see a message get its file, and nobody but the sender before', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben, eve] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
    const admin = administrator(platform);
    const { id: file_id } = await upload(ada.http, 'plan.txt', 'Secret');
    t.match(await ada.http.files.get({ file_id }), { save_as: 'plan.txt' });
    for (const client of [ben.http, eve.direct, admin]) t.same(await failureOf(client.files.get({ file_id })), absent);
    for (const client of [ben.http, admin])
      t.same(await failureOf(client.chat.send({ content: 'Mine', files: [file_id], target_type: '' })), absent, 'nor sends it');
    const { session_id } = await ada.http.chat.send({ content: '', files: [file_id], target_type: 'member', target_id: ben.id });
    for (const { http } of [ada, ben]) t.match(await http.files.get({ file_id }), { save_as: 'plan.txt' });
    for (const client of [eve.http, admin]) t.same(await failureOf(client.files.get({ file_id })), absent);
    t.same(await failureOf(ben.http.chat.send({ content: '', files: [file_id], target_type: '' })), absent, "a reader can't send it on");
    await ben.http.sessions.delete({ session_id });
    t.same(await failureOf(ben.http.files.get({ file_id })), absent, 'a hidden session hides its files');
  });
});

t.test('a person who leaves a room loses its files, also own ones', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben, cleo] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
    const { id: session_id } = await roomOf(ada, [ben]);
    const { file_id: hers } = await sendFile(ada.http, 'hers.txt', { session_id });
    const { file_id: his } = await sendFile(ben.http, 'his.txt', { session_id });
    await ada.http.sessions.add_member({ session_id, member_ids: [cleo.id] });
    t.match(await cleo.http.files.get({ file_id: his }), { save_as: 'his.txt' }, 'who joins sees the history');
    await ben.http.sessions.remove_member({ session_id, member_id: ben.id });
    for (const file_id of [hers, his]) {
      t.same(await failureOf(ben.http.files.get({ file_id })), absent);
      t.same(await failureOf(ben.http.chat.send({ content: '', files: [file_id], target_type: '' })), absent);
    }
    t.match(await cleo.http.files.get({ file_id: his }), { save_as: 'his.txt' });
    await administrator(platform).members.delete({ id: ben.id });
    t.match(await cleo.http.files.get({ file_id: his }), { save_as: 'his.txt' }, 'the file of a deleted member stays in the room');
    await ada.http.sessions.delete({ session_id });
    for (const file_id of [hers, his]) t.same(await failureOf(ada.http.files.get({ file_id })), absent);
  });
});

t.test('a file goes with the last message that names it, and counts once until then', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const { http } = await someone(t, platform);
    const bytes = async () => (await http.chat.usage()).bytes;
    const { id: file_id } = await upload(http, 'plan.txt', 'x'.repeat(1_000));
    t.equal(await bytes(), 1_000);
    const first = await http.chat.send({ content: '', files: [file_id], target_type: '' });
    const second = await http.chat.send({ content: '', files: [file_id], target_type: '' });
    const third = await http.chat.send({ content: '', files: [file_id], session_id: second.session_id });
    t.equal(await bytes(), 1_000);
    await http.messages.delete({ message_id: first.message_id });
    t.match(await http.messages.get({ message_id: first.message_id }), { files: [], content: '' });
    await http.messages.delete({ message_id: third.message_id });
    t.match(await http.files.get({ file_id }), { save_as: 'plan.txt' });
    await http.sessions.delete({ session_id: second.session_id });
    t.same(await failureOf(http.files.get({ file_id })), absent);
    t.same(await failureOf(http.chat.send({ content: '', files: [file_id], target_type: '' })), absent);
    t.equal(await bytes(), 0);
  });
});

t.test('a file stays if it is sent while its last message is deleted, or the send fails', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const { http } = await someone(t, platform);
    for (let round = 0; round < 8; round += 1) {
      const { message_id, file_id } = await sendFile(http, `${round}.txt`);
      const send = http.chat.send({ content: '', files: [file_id], target_type: '' });
      const [, sent] = await Promise.allSettled([http.messages.delete({ message_id }), send]);
      const found = await failureOf(http.files.get({ file_id }));
      if (sent.status === 'fulfilled') t.equal(found, undefined, 'it was sent');
      else t.match([sent.reason, found], [absent, absent]);
    }
  });
});

t.test('a repeated upload with one key is one file', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const { http, direct } = await someone(t, platform);
    const key = { idempotency_key: 'upload-1' };
    const uploads = Array.from({ length: 5 }, () => upload(http, 'a.txt', 'One', key));
    const [first, ...others] = await Promise.all(uploads);
    for (const other of [...others, await upload(direct, 'a.txt', 'One', key)]) t.same(other, first);
    t.equal((await http.chat.usage()).bytes, 3);
    const reused = { code: 'idempotency_key_reused', status: 409 };
    t.same(await failureOf(upload(http, 'a.txt', 'Two', key)), reused);
    t.same(await failureOf(upload(http, 'b.txt', 'One', key)), reused);
  });
});

t.test('search finds a message by the name of its file, until it is deleted', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben] = (await people(t, platform, 2)) as [Someone, Someone];
    const found = async ({ http }: Someone, q: string) => (await http.messages.search({ q, limit: 20 })).map(({ id }) => id);
    const to_ben = { target_type: 'member', target_id: ben.id } as const;
    const { message_id } = await sendFile(ada.http, 'Quince_jelly-2026.pdf', to_ben);
    t.same(await found(ben, 'quin'), [message_id]);
    t.match(await ben.http.messages.search({ q: 'jelly', limit: 1 }), [
      {
        highlight: [
          { text: 'Quince_', match: false },
          { text: 'jelly', match: true },
          { text: '-2026.pdf', match: false },
        ],
      },
    ]);
    await ada.http.messages.edit({ message_id, content: 'As you asked' });
    t.same([await found(ben, 'asked 2026'), await found(ben, 'jelly asked')], [[message_id], [message_id]]);
    await ada.http.messages.edit({ message_id, content: '' });
    t.same([await found(ben, 'asked'), await found(ben, 'quince')], [[], [message_id]]);
    await ada.http.messages.delete({ message_id });
    t.same(await found(ben, 'quince'), []);
  });
});

t.test('an empty file is refused', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const { http, direct } = await someone(t, platform);
    for (const client of [http, direct]) t.same(await failureOf(upload(client, 'empty.txt', '')), { code: 'file_empty', status: 400 });
  });
});

t.test('a message has at most ten files, each once', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const { http } = await someone(t, platform);
    const files: string[] = [];
    for (let n = 0; n < 11; n += 1) files.push((await upload(http, `${n}.txt`, String(n))).id);
    const invalid = { code: 'invalid_input', status: 400 };
    t.same(await failureOf(http.chat.send({ content: '', files, target_type: '' })), invalid);
    t.same(await failureOf(http.chat.send({ content: '', files: [files[0] as string, files[0] as string] })), invalid);
    const { message_id } = await http.chat.send({ content: '', files: files.slice(0, 10).reverse(), target_type: '' });
    const names = (await http.messages.get({ message_id })).files.map(({ name }) => name);
    t.same(
      names,
      [9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((n) => `${n}.txt`),
      'in the order in which they were given',
    );
  });
});

t.test('a member lists and deletes the files that it has not sent, and gets their bytes back', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben] = (await people(t, platform, 2)) as [Someone, Someone];
    const list = async ({ http }: Someone, page: object = {}) => {
      const { items, quota_bytes: _any, ...numbers } = await http.files.list(page as never);
      return { names: items.map(({ name }) => name), ...numbers };
    };
    for (const name of ['1.txt', '2.txt', '3.txt']) await upload(ada.http, name, 'x'.repeat(100));
    const { file_id: sent } = await sendFile(ada.http, 'sent.txt');
    const sent_bytes = (await ada.http.chat.usage()).bytes - 300;
    t.same(await list(ada), { names: ['3.txt', '2.txt', '1.txt'], total: 3, bytes: 300 + sent_bytes });
    t.same((await list(ada, { limit: 1, offset: 1 })).names, ['2.txt']);
    t.same(await list(ben), { names: [], total: 0, bytes: 0 });
    const [newest] = (await ada.http.files.list({ limit: 1, offset: 0 })).items;
    const file_id = newest?.id as string;
    t.match(newest, { mime_type: 'text/plain', bytes: 100, expires_at: /^\d{4}-.*Z$/ });
    t.same(await failureOf(ben.http.files.delete({ file_id })), absent);
    await ada.http.files.delete({ file_id });
    t.same(await list(ada), { names: ['2.txt', '1.txt'], total: 2, bytes: 200 + sent_bytes });
    for (const client of [ada.http, ada.direct]) t.same(await failureOf(client.files.get({ file_id })), absent);
    t.same(await failureOf(ada.http.files.delete({ file_id })), absent);
    t.same(await failureOf(ada.http.files.delete({ file_id: sent })), { code: 'file_sent', status: 409 });
    t.match(await ada.http.files.get({ file_id: sent }), { save_as: 'sent.txt' });
  });
});

t.test('a file that is sent and deleted at once is either sent or gone', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const { http } = await someone(t, platform);
    for (let round = 0; round < 8; round += 1) {
      // Other bytes each time: an upload of those that are just being removed is asked to come again (`blob_missing`).
      const { id: file_id } = await upload(http, `${round}.txt`, `x${round}`);
      const [sent, deleted] = await Promise.allSettled([
        http.chat.send({ content: '', files: [file_id], target_type: '' }),
        http.files.delete({ file_id }),
      ]);
      t.not(sent.status, deleted.status, 'one of them');
      t.same(await failureOf(http.files.get({ file_id })), sent.status === 'fulfilled' ? undefined : absent);
    }
  });
});
