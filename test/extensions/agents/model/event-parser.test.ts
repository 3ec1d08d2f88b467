import t, { type Test } from 'tap';
import { EventParser } from '../../../../extensions/agents/model/event-parser.js';

const bytes = (text: string) => new TextEncoder().encode(text);

function eventsOf(text: string, size = text.length): string[] {
  const parser = new EventParser();
  const whole = bytes(text);
  const parts = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => whole.subarray(at * size, (at + 1) * size));
  return [...parts.flatMap((part) => parser.add(part)), ...parser.end()];
}

/** Feeds the same text again and again, up to a little more than one event may have. */
function feed(t: Test, text: string): void {
  const parser = new EventParser();
  const part = bytes(text.repeat(Math.ceil(65_536 / text.length)));
  for (let fed = 0; fed < 9 * 1_048_576; fed += part.length) parser.add(part);
  t.pass('all bytes were consumed');
}

t.test('events are parsed at any chunk boundary', async (t) => {
  const text = ': hello\r\n\r\nid: 1\ndata: é漢\n\ndata:two\rdata: lines\r\revent: x\r\ndata:  three\r\n\r\ndata: [DONE]';
  for (const size of [1, 2, 3, 7, 1_000])
    t.same(eventsOf(text, size), ['é漢', 'two\nlines', ' three', '[DONE]'], `${size} bytes at a time`);
});

t.test('ignores events without data', async (t) => {
  t.same(eventsOf('\n\n: comment\n\nevent: x\nid: 3\n\nretry: 5\n\ndatax: 4\n\n'), []);
  t.same(eventsOf('data\n\ndata:\n\n'), ['']);
  t.same(eventsOf(''), []);
});

t.test('an unterminated event is limited, in one line or many', async (t) => {
  const tooLong = { message: /more than 8 MiB/ };
  t.throws(() => feed(t, 'x'), tooLong);
  t.throws(() => feed(t, 'data: x\n'), tooLong);
  t.throws(() => feed(t, 'data:\n'), tooLong);
});

t.test('comments and complete events are not limited in total', async (t) => {
  feed(t, ': still here\n\n');
  feed(t, ': still here\n');
  feed(t, 'data: x\n\n');
});
