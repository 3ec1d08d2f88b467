import t from 'tap';
import type { ToolCall } from '../../../../extensions/chat/contract.js';
import type { ReplyEvent } from '../../../../extensions/chat/replies/recorder.js';
import { Reply } from '../../../../extensions/chat/replies/reply.js';
import { MemoryJournal } from '../../../../kernel/platform/journal/memory.js';

const ids = { task_id: 't', message_id: 'm' };
const textOf = (events: readonly ReplyEvent[]) =>
  events.flatMap(({ type, data }) => (type === 'message.delta' ? [data.delta] : [])).join('');

t.test('merges consecutive deltas into one event', async (t) => {
  const reply = new Reply(ids);
  for (const piece of ['Hel', 'lo ', 'you']) reply.write(piece);
  reply.reasoning('Hm');
  reply.write('.');
  t.same(reply.take(), [
    { type: 'message.delta', data: { seq: 1, ...ids, delta: 'Hello you' } },
    { type: 'reasoning.delta', data: { seq: 2, ...ids, delta: 'Hm' } },
    { type: 'message.delta', data: { seq: 3, ...ids, delta: '.' } },
  ]);
  t.same(reply.take(), []);
  t.equal(reply.content, 'Hello you.');
});

t.test('text after a write is a new event, so that seq matches the stored text', async (t) => {
  const reply = new Reply(ids);
  reply.write('stored');
  t.same(reply.progress(), { content: 'stored', tool_calls: '[]', seq: 1, usage: null, notices: [] });
  reply.write(' not stored');
  t.same(
    reply.take().map(({ data }) => [data.seq, data.delta]),
    [
      [1, 'stored'],
      [2, ' not stored'],
    ],
  );
});

t.test('an event always fits into the journal and splits no character', async (t) => {
  const reply = new Reply(ids);
  const text = `a${'👩'.repeat(30_000)}`;
  reply.write(text);
  const events = reply.take();
  t.ok(events.length > 5);
  for (const { data } of events) t.ok(JSON.stringify(data).length < 60_000 && !/[\uD800-\uDBFF]$/.test(String(data.delta)));
  t.equal(textOf(events), text);
});

t.test('a character split across pieces is joined; half a character and NUL are replaced', async (t) => {
  const reply = new Reply(ids);
  const [first = '', second = ''] = '👩'.split('');
  for (const piece of ['a', first, second, '\0', second, first]) reply.write(piece);
  reply.complete();
  t.equal(reply.content, 'a👩\uFFFD\uFFFD\uFFFD');
  t.equal(textOf(reply.take()), reply.content);
});

t.test("a reply's length is limited", async (t) => {
  const reply = new Reply(ids);
  reply.write('x'.repeat(999_999));
  t.throws(() => reply.write('yz'), { code: 'reply_too_long' });
  reply.write('y');
  t.equal(reply.content.length, 1_000_000);
});

const toolsOf = (reply: Reply) => JSON.parse(reply.progress().tool_calls) as ToolCall[];

t.test('limits the stored input and output of a tool', async (t) => {
  const reply = new Reply(ids);
  reply.toolStarted({ id: 'c', name: 'dig', input: { deep: 'x'.repeat(50_000) }, now: '1' });
  reply.toolOutput('c', 'o'.repeat(20_000));
  reply.toolFinished('c', { output: 'o'.repeat(20_000), error: null, now: '2' });
  reply.toolFinished('c', { output: 'again', error: null, now: '3' });
  const [call] = toolsOf(reply);
  t.match(call, { id: 'c', name: 'dig', error: null, started_at: '1', finished_at: '2' });
  t.equal(call?.output?.length, 16_384);
  t.match(call?.input, /^\{"deep":"x{16000}/);
  t.same(
    reply.take().map(({ type }) => type),
    ['tool.started', 'tool.output', 'tool.output', 'tool.output', 'tool.finished'],
  );
});

t.test('input and output of a tool fit into the journal, however they are escaped', async (t) => {
  const clock = { now: () => 0, iso: () => '1' };
  const journal = new MemoryJournal({ clock });
  for (const text of ['\u0001', '"', '\\', '👩', 'ü', '\0', '\uD800'].map((one) => one.repeat(40_000))) {
    const reply = new Reply(ids);
    reply.toolStarted({ id: 'c', name: text, input: { text }, now: '1' });
    reply.toolOutput('c', text);
    reply.toolFinished('c', { output: text, error: text, now: '2' });
    const events = reply.take();
    const [call] = toolsOf(reply);
    for (const kept of [call?.output, call?.error, call?.input]) {
      const bytes = Buffer.byteLength(JSON.stringify(kept)) - 2;
      t.ok(bytes <= 16_384 && bytes > 16_370, `${bytes} bytes`);
      t.ok(String(kept).isWellFormed());
    }
    await journal.append('task:t', events);
  }
});
