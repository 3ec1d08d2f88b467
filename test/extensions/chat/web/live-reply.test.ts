import t from 'tap';
import type { Message } from '../../../../extensions/chat/contract.js';
import { groupsOf, LiveReply, type Paintable, type Part, type ReplyEvent } from '../../../../extensions/chat/web/live-reply.js';

/** A reply, and a screen that draws when it is told to. */
function begin(isStill = false) {
  const waiting = new Set<Paintable>();
  let drawn = 0;
  let now = 1_000;
  const reply = new LiveReply({ request: (paintable) => waiting.add(paintable), isStill: () => isStill, now: () => now });
  reply.subscribe(() => {
    drawn += 1;
  });
  let seq = 0;
  const take = (type: string, data: ReplyEvent['data'] = {}) => reply.take({ type, data: { seq: ++seq, ...data } });
  const frame = () => {
    const all = [...waiting];
    waiting.clear();
    for (const paintable of all) if (paintable.paint()) waiting.add(paintable);
    return waiting.size > 0;
  };
  const settle = () => {
    for (let frames = 1; ; frames += 1) if (!frame()) return frames;
  };
  const shown = () =>
    reply.parts.map((part) => (part.kind === 'text' ? part.text.blocks.join('') + openOf(part.text.open) : part.kind)).join('|');
  return { reply, take, frame, settle, shown, drawn: () => drawn, wait: (ms: number) => (now += ms) };
}

function openOf(open: { text: string; chunks?: readonly string[] }): string {
  return (open.chunks ?? []).join('') + open.text;
}

function stored(changes: Partial<Message>): Message {
  return { id: 'm', content: '', tool_calls: [], status: 'streaming', ...changes } as Message;
}

t.test('hundreds of events between two frames cost one drawing', async (t) => {
  const { take, frame, drawn } = begin(true);
  for (let count = 0; count < 300; count += 1) take('message.delta', { delta: 'word ' });
  frame();
  t.equal(drawn(), 1);
});

t.test('a burst of text appears over several frames, and at once where less motion is wanted', async (t) => {
  const text = 'x'.repeat(600);
  const smooth = begin();
  smooth.take('message.delta', { delta: text });
  smooth.frame();
  t.ok(smooth.shown().length < text.length);
  t.ok(smooth.settle() < 40);
  t.equal(smooth.shown(), text);
  const still = begin(true);
  still.take('message.delta', { delta: text });
  still.frame();
  t.equal(still.shown(), text);
});

t.test('a character of two units is never cut in two', async (t) => {
  const { take, frame, shown } = begin();
  take('message.delta', { delta: '🚀'.repeat(40) });
  for (let isMore = true; isMore; ) {
    isMore = frame();
    t.ok(shown().isWellFormed());
  }
});

t.test('parts stay in the order in which they came, with durations', async (t) => {
  const { reply, take, settle, shown, wait } = begin();
  take('message.started', { message: stored({}) });
  take('reasoning.delta', { delta: 'Let me see' });
  wait(4_000);
  take('message.delta', { delta: 'I look. ' });
  take('tool.started', { tool_call_id: 'a', name: 'members.list', input: { page: 1 } });
  take('tool.output', { tool_call_id: 'a', delta: 'Ada' });
  wait(500);
  take('tool.finished', { tool_call_id: 'a', output: 'Ada', error: null });
  take('message.delta', { delta: 'It is Ada.' });
  settle();
  t.equal(shown(), 'thought|I look. |tool|It is Ada.');
  const [thought, , tool] = reply.parts;
  t.match(thought, { kind: 'thought', text: 'Let me see', started_at: 1_000, ended_at: 5_000 });
  t.match(tool, { kind: 'tool', name: 'members.list', output: 'Ada', error: null, started_at: 5_000, ended_at: 5_500 });
});

t.test('an event that comes again after a reconnection changes nothing', async (t) => {
  const { reply, settle, shown } = begin();
  const event = (seq: number, delta: string) => reply.take({ type: 'message.delta', data: { seq, delta } });
  event(1, 'one ');
  event(2, 'two ');
  event(1, 'one ');
  event(2, 'two ');
  event(3, 'three');
  settle();
  t.equal(shown(), 'one two three');
});

t.test('a snapshot adds what was missed, and replaces a text that is another', async (t) => {
  const { reply, take, settle, shown } = begin();
  take('message.delta', { delta: 'one ' });
  reply.take({ type: 'snapshot', data: { seq: 9, message: stored({ content: 'one two' }) } });
  settle();
  t.equal(shown(), 'one two');
  reply.take({ type: 'snapshot', data: { seq: 12, message: stored({ content: 'another' }) } });
  settle();
  t.equal(shown(), 'another');
});

t.test('the end shows all of the text at once, and tools that a reader missed', async (t) => {
  const { reply, take, frame, shown } = begin();
  take('message.delta', { delta: 'one ' });
  const call = {
    id: 'a',
    name: 'x',
    input: {},
    output: null,
    error: 'refused',
    started_at: '2026-01-01T00:00:00.000Z',
    finished_at: '2026-01-01T00:00:01.000Z',
  };
  take('message.failed', { message: stored({ content: 'one two three', status: 'failed', tool_calls: [call] }) });
  t.equal(frame(), false);
  t.equal(shown(), 'one |tool|two three');
  t.ok(reply.isOver);
});

t.test('of a long output the last part is kept', async (t) => {
  const { reply, take } = begin();
  take('tool.started', { tool_call_id: 'a', name: 'shell', input: {} });
  for (let count = 0; count < 200; count += 1) take('tool.output', { tool_call_id: 'a', delta: `${count}\n`.padStart(1_000) });
  const [tool] = reply.parts;
  if (tool?.kind !== 'tool') return t.fail('no tool');
  t.ok(tool.output.length < 90_000);
  t.equal(tool.output.length + tool.omitted, 200_000);
  return t.ok(tool.output.endsWith('199\n'));
});

t.test('many finished steps are one group; what runs or has failed stays in sight', async (t) => {
  const tool = (ended_at?: number, error: string | null = null) => ({ kind: 'tool', ended_at, error }) as unknown as Part;
  const lengths = (parts: Part[]) => groupsOf(parts).map(({ length }) => length);
  t.same(lengths([tool(1), tool(1), tool(1), tool(1), tool(1)]), [5]);
  t.same(lengths([tool(1), tool(1), tool(1)]), [1, 1, 1]);
  t.same(lengths([tool(1), tool(1), tool(1), tool(1), tool(1, 'no'), tool()]), [4, 1, 1]);
});

t.test('another tab takes over what one has, and goes on from there', async (t) => {
  const one = begin();
  one.take('reasoning.delta', { delta: 'hm' });
  one.take('message.delta', { delta: 'one ' });
  const other = begin();
  other.reply.adopt(structuredClone(one.reply.state()));
  other.reply.adopt({ seq: 1, parts: [] });
  other.reply.take({ type: 'message.delta', data: { seq: 2, delta: 'one ' } });
  other.reply.take({ type: 'message.delta', data: { seq: 3, delta: 'two' } });
  other.settle();
  t.equal(other.shown(), 'thought|one two');
});

t.test('a tab that got an event before the parts that precede it takes the parts over', async (t) => {
  const one = begin();
  one.take('message.delta', { delta: 'one ' });
  one.take('message.delta', { delta: 'two' });
  const other = begin();
  other.reply.take({ type: 'message.delta', data: { seq: 2, delta: 'two' } });
  other.reply.adopt(structuredClone(one.reply.state()));
  other.settle();
  t.equal(other.shown(), 'one two');
});
