import { randomBytes } from 'node:crypto';
import t from 'tap';
import type { CheckRecord } from '../../kernel/contract/system.js';
import { freshPostgres } from '../helpers/databases.js';
import { until } from '../helpers/eventually.js';
import { skipWithout } from '../helpers/parts.js';
import { adminPassword } from '../helpers/platform.js';
import { pluginZip } from '../kernel/core/plugins/bundle.js';
import { type Asker, Side } from '../operations/side.js';

interface Sent {
  session_id: string;
  message_id: string;
}

interface Run {
  status: string;
  error_code: string | null;
}

interface Usage {
  bytes: number;
  quota_bytes: number;
}

/** A GIF of exactly so many bytes, unlike any other. */
function picture(bytes: number): string {
  const head = Buffer.from('GIF89a\x01\0\x01\0\0\0\0', 'latin1');
  return `data:image/gif;base64,${Buffer.concat([head, randomBytes(bytes - head.length)]).toString('base64')}`;
}

/** A file of so many bytes. */
const file = (bytes: number) => ({ name: 'file.bin', bytes: randomBytes(bytes) });

const usageOf = (side: Side, asker: Asker = 'ada') => side.give<Usage>('chat.usage', {}, asker);

/** To oneself: nobody answers. */
const notes = { target_type: '' };

/** Sends a message. Returns a status, or the status and code of a failure. */
async function outcome(side: Side, input: object): Promise<string | number> {
  const result = await side.ask('chat.send', { ...notes, ...input });
  return 'failure' in result ? `${result.failure.status} ${result.failure.code}` : (result as { status: number }).status;
}

const places = [
  { name: 'SQLite', skip: false as const, place: async () => 'sqlite:' },
  { name: 'PostgreSQL', skip: skipWithout('postgres'), place: freshPostgres },
];

for (const { name, skip, place } of places) {
  t.test(`a member's quota on ${name}`, { skip }, async (t) => {
    const side = await Side.start(t, 'http', { settings: { database_url: await place(), 'chat.member_quota_bytes': 10_000 } });

    await t.test('usage counts texts in UTF-8 and every image of every message', async (t) => {
      t.same(await usageOf(side), { bytes: 0, quota_bytes: 10_000 });
      const image = picture(1_000);
      const { session_id } = await side.give<Sent>('chat.send', { ...notes, content: 'grüße', images: [image] }, 'ada');
      t.same(await usageOf(side), { bytes: 1_007, quota_bytes: 10_000 });
      await side.give('chat.send', { session_id, content: '', images: [image, image] }, 'ada');
      t.match(await usageOf(side), { bytes: 3_007 });
      await side.give('sessions.delete', { session_id }, 'ada');
      t.match(await usageOf(side), { bytes: 0 }, 'deleting a session frees its bytes');
      t.match(await usageOf(side, 'bob'), { bytes: 0 });
    });

    await t.test("usage counts a member's messages but not the answers of AI employees", async (t) => {
      const { id: bob } = await side.give('auth.me', {}, 'bob');
      await side.give('chat.send', { target_type: 'member', target_id: bob, content: 'hello' }, 'ada');
      const { session_id, message_id } = await side.give<Sent>('chat.send', { target_type: 'ai', content: '/help' }, 'ada');
      await side.ask('messages.stream', { message_id });
      t.match(await usageOf(side), { bytes: 10 });
      t.match(await usageOf(side, 'bob'), { bytes: 0 });
      await side.give('sessions.delete', { session_id }, 'ada');
      t.match(await usageOf(side), { bytes: 5 });
    });

    await t.test('a full quota rejects images but never texts', async (t) => {
      const { session_id } = await side.give<Sent>('chat.send', { ...notes, content: '', images: [picture(9_900)] }, 'ada');
      t.equal(await outcome(side, { content: '', images: [picture(96)] }), '413 quota_exceeded');
      t.match(await usageOf(side), { bytes: 9_905 }, 'a refused message is not counted');
      t.equal(await outcome(side, { content: '', images: [picture(95)] }), 200, 'the last byte of the quota can be used');
      t.equal(await outcome(side, { content: 'x'.repeat(32_000) }), 200);
      t.match(await usageOf(side), { bytes: 42_000 });
      t.equal(await outcome(side, { content: '', images: [picture(20)] }), '413 quota_exceeded');
      const others = await side.ask('chat.send', { ...notes, content: '', images: [picture(9_000)] }, { asker: 'bob' });
      t.match(others, { status: 200 }, 'the quota is each member’s own');
      await side.give('sessions.delete', { session_id }, 'ada');
      t.match(await usageOf(side), { bytes: 32_100 });
    });

    await t.test('a file counts from its upload on, once, and a full quota rejects it', async (t) => {
      await side.give('members.create', { username: 'fay', password: adminPassword });
      await side.logIn('reader', 'fay');
      const put = (bytes: number) => side.ask('files.upload', { file: file(bytes) }, { asker: 'reader' });
      const { id } = await side.give<{ id: string }>('files.upload', { file: file(6_000) }, 'reader');
      t.match(await usageOf(side, 'reader'), { bytes: 6_000 });
      t.match(await put(4_001), { failure: { status: 413, code: 'quota_exceeded' } });
      const { message_id } = await side.give<Sent>('chat.send', { ...notes, content: '', files: [id] }, 'reader');
      await side.give('chat.send', { ...notes, content: '', files: [id] }, 'reader');
      const uploads = (await Promise.all([500, 1_000, 1_500, 2_000].map(put))).map((result) => 'failure' in result);
      t.ok(uploads.includes(true) && uploads.includes(false), 'concurrent uploads do not exceed it');
      t.ok((await usageOf(side, 'reader')).bytes <= 10_000);
      await side.give('messages.delete', { message_id }, 'reader');
      t.ok((await usageOf(side, 'reader')).bytes > 6_000, 'it stays for the other message');
    });

    await t.test('concurrent messages do not exceed the quota', async (t) => {
      const sends = Array.from({ length: 12 }, () =>
        side.ask('chat.send', { ...notes, content: '', images: [picture(200)] }, { asker: 'bob' }),
      );
      const codes = (await Promise.all(sends)).map((result) => ('failure' in result ? result.failure.code : 'sent'));
      t.equal(codes.filter((code) => code === 'sent').length, 5);
      t.equal(codes.filter((code) => code === 'quota_exceeded').length, 7);
      t.match(await usageOf(side, 'bob'), { bytes: 10_000 });
    });

    await t.test('a message counts once if it is retried, and an image counts again in each message', async (t) => {
      const { id } = await side.give('members.create', { username: 'eve', password: adminPassword });
      await side.logIn('limited', 'eve');
      const eve = { asker: 'limited' } as const;
      const image = picture(3_000);
      const body = JSON.stringify({ ...notes, content: '', images: [image] });
      const headers = {
        authorization: `Bearer ${side.tokens.get('limited')}`,
        'content-type': 'application/json',
        'idempotency-key': 'one',
      };
      const sends = Array.from({ length: 6 }, () => fetch(`${side.platform.url}/api/chat/send`, { method: 'POST', headers, body }));
      const answers = await Promise.all((await Promise.all(sends)).map((answer) => answer.json() as Promise<Sent>));
      const answered = answers.filter(({ session_id }) => session_id !== undefined);
      t.equal(new Set(answered.map(({ session_id }) => session_id)).size, 1, 'one session was opened');
      t.match(await usageOf(side, 'limited'), { bytes: 3_000 });

      const same = await Promise.all(
        Array.from({ length: 5 }, () => side.ask('chat.send', { ...notes, content: '', images: [image] }, eve)),
      );
      const codes = same.map((result) => ('failure' in result ? result.failure.code : 'sent'));
      t.same(codes.sort(), ['quota_exceeded', 'quota_exceeded', 'quota_exceeded', 'sent', 'sent']);
      t.match(await usageOf(side, 'limited'), { bytes: 9_000 });
      await side.give('members.delete', { id });
    });

    await t.test("a schedule's messages count for its owner, and its run fails when the owner's quota is full", async (t) => {
      const params = { ...notes, content: '', images: [picture(6_000)] };
      const planned = { trigger_type: 'interval', trigger_value: '24h', action: 'chat.send', params };
      const { id } = await side.give('schedules.create', { name: 'Pictures', ...planned });
      const ended = async () => {
        const { run_id } = await side.give<{ run_id: string }>('schedules.run', { id });
        return until(
          () => side.give<Run>('schedules.run_record', { id, run_id }),
          ({ status }) => status === 'success' || status === 'failed',
        );
      };
      t.match(await ended(), { status: 'success' });
      t.match(await usageOf(side, 'admin'), { bytes: 6_000 });
      t.match(await ended(), { status: 'failed', error_code: 'quota_exceeded' });
      t.match(await usageOf(side, 'admin'), { bytes: 6_000 });
    });

    await t.test('usage stays exact during concurrent sends and deletions', async (t) => {
      const open = () => side.give<Sent>('chat.send', { ...notes, content: 'the first' }, 'ada');
      const sessions = await Promise.all(Array.from({ length: 10 }, open));
      const sends = sessions.flatMap(({ session_id }) =>
        ['one', 'two', 'three'].map((content) => side.ask('chat.send', { session_id, content })),
      );
      const deletions = sessions.slice(0, 6).map(({ session_id }) => side.ask('sessions.delete', { session_id }));
      const results = await Promise.all([...sends, ...deletions]);
      const codes = results.flatMap((result) => ('failure' in result ? [result.failure.code] : []));
      t.same(
        codes.filter((code) => code !== 'session_not_found'),
        [],
      );
      t.match(await usageOf(side), { bytes: 32_100 + 4 * ('the first'.length + 'one'.length + 'two'.length + 'three'.length) });
      for (const { session_id } of sessions.slice(6)) await side.give('sessions.delete', { session_id }, 'ada');
      t.match(await usageOf(side), { bytes: 32_100 });
    });

    await t.test('deleting a member deletes its usage', async (t) => {
      const { id } = await side.give('auth.me', {}, 'bob');
      await side.give('members.delete', { id });
      t.match(await usageOf(side), { bytes: 32_100 });
      t.equal(await outcome(side, { session_id: '01900000-0000-7000-8000-000000000000', content: '' }), '400 invalid_input');
    });
  });
}

t.test('the quota is 5 GiB by default, and members read their usage at /api/members/me/usage', async (t) => {
  const side = await Side.start(t, 'http');
  const headers = { authorization: `Bearer ${side.tokens.get('ada')}` };
  const answer = await fetch(`${side.platform.url}/api/members/me/usage`, { headers });
  t.same(await answer.json(), { bytes: 0, quota_bytes: 5 * 1024 ** 3 });
});

t.test('if the disk has too little free space, nothing over 64 KiB is accepted', async (t) => {
  const side = await Side.start(t, 'http', { settings: { min_free_bytes: Number.MAX_SAFE_INTEGER } });
  const low = { failure: { status: 507, code: 'disk_low' } };

  t.equal(await outcome(side, { content: 'small', images: [picture(10_000)] }), 200);
  t.equal(await outcome(side, { content: 'x'.repeat(32_000) }), 200);
  t.equal(await outcome(side, { content: '', images: [picture(60_000)] }), '507 disk_low');
  t.match(await usageOf(side), { bytes: 42_005 }, 'nothing of the rejected message is counted');
  t.match(await side.ask('maintenance.backup', {}, { asker: 'admin' }), low);

  t.match(await side.ask('files.upload', { file: file(60_000) }), { status: 201 });
  t.match(await side.ask('files.upload', { file: file(70_000) }), low);
  t.match(await usageOf(side), { bytes: 102_005 }, 'nor of the rejected file');

  const publish = (bytes: Buffer) => side.ask('marketplace.publish', { type: 'plugin', file: { name: 'plugin.zip', bytes } });
  t.match(await publish(randomBytes(100_000)), low);
  // Its ZIP is small, and it is large once it is unpacked.
  const version = { id: 'acme.large', version: '1.0.0' };
  const zip = pluginZip({ ...version, files: [{ name: 'digits.txt', content: randomBytes(40_000).toString('hex') }] });
  t.match(await publish(zip), { status: 201 });
  await side.give('marketplace.approve', version);
  t.match(await side.ask('marketplace.install', { id: 'acme.large' }, { asker: 'admin' }), low);

  const headers = { authorization: `Bearer ${side.tokens.get('ada')}`, 'content-type': 'application/json' };
  const asked = await fetch(`${side.platform.url}/api/v1/chat/completions`, { method: 'POST', headers, body: 'x'.repeat(100_000) });
  t.equal(asked.status, 507, 'the OpenAI endpoint rejects it too');

  const checks = await side.give<CheckRecord[]>('checks.list');
  t.match(
    checks.find(({ code }) => code === 'disk'),
    { ok: false, message: /PLATFORM_MIN_FREE_BYTES/ },
  );
  t.equal((await fetch(`${side.platform.url}/readyz`)).status, 200, 'the instance stays ready');
  t.match(
    side.platform.lines.filter(({ level, msg }) => level === 'warn' && /disk/.test(String(msg))),
    [],
  );
});

t.test('if the disk has too little free space, a fetched image is rejected too and not counted', async (t) => {
  const side = await Side.start(t, 'direct', { settings: { min_free_bytes: Number.MAX_SAFE_INTEGER } });
  t.equal(await outcome(side, { content: '', images: [picture(10_000), picture(70_000)] }), '507 disk_low');
  t.match(await usageOf(side), { bytes: 0 });
});
