import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openMattermost } from '../../../cli/import/mattermost.js';
import { Remarks } from '../../../cli/import/remarks.js';
import { ImportWriter } from '../../../cli/import/writer.js';
import { Progress } from '../../../cli/progress.js';
import type { Session } from '../../../cli/session.js';
import type { Terminal } from '../../../cli/terminal.js';
import { direct } from '../../../kernel/client/direct.js';
import type { Transport } from '../../../kernel/client/transport.js';
import { administrator, login, onEachPlatform, someone } from '../../extensions/chat/world.js';
import { adminPassword, startPlatform, type TestPlatform, temporaryFolder } from '../../helpers/platform.js';
import { memberNamed, messagesIn, runImport, sessionNamed, unique } from './world.js';

const at = Date.parse('2024-03-01T09:00:00Z');
const count = 900;

/** Writes an export of one private room with 900 messages, every third in a thread. */
async function exported(t: Test, ada: string, word: string): Promise<string> {
  const user = (username: string) => ({ type: 'user', user: { username, teams: [{ name: 'ops', channels: [{ name: word }] }] } });
  const lines: object[] = [
    { type: 'version', version: 1 },
    { type: 'channel', channel: { team: 'ops', name: word, type: 'P' } },
    user(ada),
    user(`ben-${word}`),
  ];
  for (let n = 0; n < count; n += 3) {
    const replies = [{ user: ada, message: `Number ${n + 2}`, create_at: at + n + 2 }];
    const post = { team: 'ops', channel: word, create_at: at + n };
    lines.push({ type: 'post', post: { ...post, user: ada, message: `Number ${n}`, replies } });
    lines.push({ type: 'post', post: { ...post, user: `ben-${word}`, message: `Number ${n + 1}`, create_at: at + n + 1 } });
  }
  const path = join(await temporaryFolder(t), 'bulk.jsonl');
  await writeFile(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  return path;
}

/** Returns a session that loses the platform after a number of calls. */
function failingAfter({ kernel }: TestPlatform, calls: number): Session {
  const transport = direct(kernel);
  let left = calls;
  const call: Transport['call'] = async (request) => {
    left -= 1;
    if (left < 0) throw new Error('the connection was lost');
    return transport.call(request);
  };
  return { transport: { ...transport, call } } as unknown as Session;
}

t.test('an import that was interrupted anywhere is completed by a repetition', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { platform } = world;
    const ada = await someone(t, platform);
    const word = unique();
    const path = await exported(t, ada.name, word);
    for (const calls of [1, 2, 4, 7]) {
      const remarks = new Remarks();
      const { signal } = new AbortController();
      const opened = await openMattermost(path, { remarks, now_ms: Date.now(), signal });
      const progress = new Progress({ stderr: {}, env: {} } as unknown as Terminal, 'importing');
      const session = failingAfter(platform, calls);
      const writer = new ImportWriter({ session, signal, source: `mattermost:${word}`, dry_run: false, remarks, progress });
      await t.rejects(writer.write(opened.found), /connection was lost/);
      await opened.close();
    }
    const last = await runImport(t, platform, ['mattermost', path, '--from', word]);
    t.match(last, { code: 0, report: { members: { known: 2 }, rooms: { known: 1 } } }, last.stderr);
    t.ok((last.report?.messages.known ?? 0) > 0 && (last.report?.messages.created ?? 0) > 0, 'some messages were there');
    const room = await sessionNamed(ada.http, word);
    const numbers = new Set<string>();
    let found = 0;
    for (let page = await messagesIn(ada.http, room); page.length > 0; ) {
      found += page.length;
      for (const { content } of page) numbers.add(content);
      page = await ada.http.messages.list({ session_id: room?.id ?? '', limit: 200, before: page[0]?.id ?? '' });
    }
    t.same([found, numbers.size, room?.unread_count], [count, count, 0]);
  });
});

t.test('an imported member who is activated logs in, is in the rooms, and has read everything', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { platform } = world;
    const ada = await someone(t, platform);
    const word = unique();
    await runImport(t, platform, ['mattermost', await exported(t, ada.name, word), '--from', word]);
    const { id } = (await memberNamed(world, `ben-${word}`)) ?? { id: 0 };
    await administrator(platform).members.update({ id, active: true });
    await administrator(platform).members.reset_password({ id, new_password: adminPassword });
    const ben = await login(t, platform, `ben-${word}`);
    const room = await sessionNamed(ben, word);
    t.match(room, { unread_count: 0, mention_count: 0, role: 'member' });
    t.match(await ben.messages.search({ q: `number ${count - 1}`, limit: 10 }), [{ content: `Number ${count - 1}` }]);
    const { message_id } = await ada.http.chat.send({ session_id: room?.id ?? '', content: 'Welcome' });
    t.match(await sessionNamed(ben, word), { unread_count: 1 }, 'a new message is unread');
    await ada.http.messages.delete({ message_id });
    t.match(await sessionNamed(ben, word), { unread_count: 0 });
    await administrator(platform).members.delete({ id });
    const left = (await messagesIn(ada.http, room)).filter(({ sender_name }) => sender_name === 'Deleted member');
    t.ok(left.length > 0, 'the messages of a deleted member stay');
  });
});

t.test('without a server an import works on the data folder', async (t) => {
  const before = await startPlatform(t, { listen: false, background: false });
  await before.kernel.close();
  const word = unique();
  const path = await exported(t, 'admin', word);
  const first = await runImport(t, before, ['mattermost', path]);
  t.match(first, { code: 0, report: { members: { matched: 1, created: 1 }, messages: { created: count } } }, first.stderr);
  t.match(await runImport(t, before, ['mattermost', path]), { report: { messages: { created: 0, known: count } } });
  const after = await startPlatform(t, { settings: { data_dir: before.data_dir } });
  const admin = await login(t, after);
  t.match(await sessionNamed(admin, word), { unread_count: 0, target_type: 'room' });
  t.match(await runImport(t, after, ['mattermost', path]), { report: { messages: { known: count } } });
});

t.test('over the network an import is refused, by the command and by the server', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const admin = await login(t, platform);
    const call = async (path: string) => {
      const response = await fetch(`${platform.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ source: 'slack' }),
      });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    t.same(await call('/api/chat/imports'), [403, 'import_not_local']);
    t.same(await call('/api/chat/imports/find'), [403, 'import_not_local']);
    const path = await exported(t, 'ada', unique());
    const refused = await runImport(t, platform, ['mattermost', path, '--url', platform.url]);
    t.match(refused, { code: 2, stderr: /Imports run on the server's machine only/ });
  });
});
