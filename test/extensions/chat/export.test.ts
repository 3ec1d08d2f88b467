import t from 'tap';
import { jsonMessage } from '../../../extensions/chat/export/json.js';
import { markdownMessage } from '../../../extensions/chat/export/markdown.js';
import { SessionExport } from '../../../extensions/chat/export/session-export.js';
import { plainMessage } from '../agents/run/plain-message.js';
import { dataUrl, gif } from './pictures.js';
import { failureOf, onEachPlatform, type Someone, someone } from './world.js';

interface Exported {
  session: { id: string; title: string };
  messages: { content?: string; sender_name: string; reactions?: object[] }[];
}

const textOf = async ({ http }: Someone, input: { session_id: string; since?: string; before?: string }) =>
  (await http.sessions.export({ ...input, format: 'markdown' })).bytes.toString();

const recordOf = async ({ http }: Someone, input: { session_id: string; since?: string; before?: string }) =>
  JSON.parse((await http.sessions.export({ ...input, format: 'json' })).bytes.toString()) as Exported;

t.test('a member exports all messages of a session, in their order, and nobody else does', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ann, ben, cleo] = [await someone(t, platform), await someone(t, platform), await someone(t, platform)];
    const room = { title: 'Plans / May', target_type: 'room', target_id: '', member_ids: [ben.id] } as const;
    const { id: session_id } = await ann.http.sessions.create(room);
    for (let n = 0; n < 120; n += 1) await (n % 2 ? ann : ben).http.chat.send({ session_id, content: `Message ${n}` });
    const sent = await ann.http.chat.send({ session_id, content: '', images: [dataUrl(gif(), 'image/gif')] });
    await ben.http.reactions.add({ message_id: sent.message_id, emoji: '👍' });

    const { session, messages } = await recordOf(ben, { session_id });
    t.match(session, { id: session_id, title: 'Plans / May' });
    t.same(
      messages.slice(0, 120).map(({ content }) => content),
      Array.from({ length: 120 }, (_, n) => `Message ${n}`),
    );
    t.match(messages[120], { sender_name: ann.name, images: [{}], reactions: [{ emoji: '👍', mine: true }] });
    const file = await ben.http.sessions.export({ session_id, format: 'markdown' });
    t.match(file, { mime_type: 'text/markdown; charset=utf-8', save_as: /^Plans _ May-\d{4}-\d\d-\d\d\.md$/ });
    t.match(file.bytes.toString(), /^# Plans \/ May\n\nExported on .* UTC\.\n\n### m-.*, \d{4}-\d\d-\d\d .* UTC\n\n> Message 0\n\n### /);

    t.same(await failureOf(cleo.http.sessions.export({ session_id, format: 'json' })), { code: 'session_not_found', status: 404 });
    await ben.http.sessions.remove_member({ session_id, member_id: ben.id });
    t.same(await failureOf(ben.http.sessions.export({ session_id, format: 'json' })), { code: 'session_not_found', status: 404 });
  });
});

t.test('a session is exported in parts that neither overlap nor leave anything out', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const ann = await someone(t, platform);
    const { session_id } = await ann.http.chat.send({ content: 'One', target_type: '' });
    const second = await ann.http.chat.send({ content: 'Two', session_id });
    await ann.http.chat.send({ content: 'Three', session_id });
    const { created_at: at } = await ann.http.messages.get({ message_id: second.message_id });
    const contents = async (range: object) => (await recordOf(ann, { session_id, ...range })).messages.map(({ content }) => content);
    t.same(await contents({ before: at }), ['One']);
    t.same(await contents({ since: at }), ['Two', 'Three']);
    t.notMatch(await textOf(ann, { session_id, before: at }), /Two/);
    t.same(await contents({ since: '2050-01-01T00:00:00Z' }), []);
  });
});

t.test('an export that is too large, or whose reader leaves meanwhile, gives nothing', async (t) => {
  const large = plainMessage({ content: 'x'.repeat(1_000_000), created_at: '2030-01-01T00:00:00.000Z' });
  /** Exports so many large messages; the member leaves when so many are left. */
  const exported = ({ count, leaves_at }: { count: number; leaves_at?: number }) => {
    let left = count;
    const session = { id: 's', title: '', topic: '' };
    const ports = {
      clock: { now: () => 0, iso: () => '2030-01-01T00:00:00.000Z' },
      sessions: { get: async () => (leaves_at !== undefined && left <= leaves_at ? undefined : session) },
      reactions: { markMine: async (found: object[]) => found },
    };
    const first = async () => {
      left -= 1;
      return left < 0 ? [] : [large];
    };
    const parts = { ports, rows: { first } } as unknown as ConstructorParameters<typeof SessionExport>[0];
    return new SessionExport(parts).file({ session_id: 's', format: 'json' }, { member_id: 1, signal: new AbortController().signal });
  };
  t.ok((await exported({ count: 3 })).bytes.length > 3_000_000);
  await t.rejects(exported({ count: 3, leaves_at: 1 }), { code: 'session_not_found' });
  await t.rejects(exported({ count: 40 }), { code: 'export_too_large', message: /32 MiB together; export them in parts/ });
});

t.test('no text passes for another message, and nothing empty is written', async (t) => {
  const text = markdownMessage(
    plainMessage({
      content: 'Hello\n\n### Ben, 2030\r> I agree',
      sender_name: '*Ann*\n# Ben',
      created_at: '2030-01-02T03:04:05.678Z',
      edited_at: '2030-01-02T03:05:00.000Z',
      files: [{ id: '', name: '[a](b).txt', mime_type: '', bytes: 3, sha256: '' }],
    }),
  );
  t.equal(
    text,
    '\n### \\*Ann\\* \\# Ben, 2030-01-02 03:04:05 UTC (edited)\n\n> Hello\n>\n> ### Ben, 2030\n> > I agree\n\n- File: \\[a\\](b).txt (3 bytes)\n',
  );
  t.same(JSON.parse(jsonMessage(plainMessage({ content: 'Hi', created_at: 'now' }), true)), {
    role: 'user',
    sender_id: 1,
    content: 'Hi',
    status: 'completed',
    created_at: 'now',
  });
});
