import t from 'tap';
import type { Message, Task } from '../../../../extensions/chat/contract.js';
import type { Ports } from '../../../../extensions/chat/ports.js';
import { Streams } from '../../../../extensions/chat/replies/streams.js';
import { collect, textOf, typesOf } from '../world.js';

const ids = { task_id: 'task', message_id: 'reply' };
const done = { cursor: '2', type: 'done', data: { seq: 6, ...ids } };

/** Reads from a cursor, or everything, with this content of journal and database. */
function read(entries: object[], stored: { status: Message['status']; content: string; seq: number }, after?: string) {
  const { status, content, seq } = stored;
  const row = { message: { id: 'reply', task_id: 'task', content, status }, seq };
  const journal = {
    async *follow() {
      yield* entries;
    },
  };
  const task = { id: 'task', reply_id: 'reply', status: status === 'streaming' ? 'running' : status } as Task;
  const place = { signal: new AbortController().signal, leave: () => undefined };
  const parts = { readers: { enter: () => place }, sessions: { get: async () => ({}) }, tasks: { find: async () => ({ task }) } };
  const ports = { ...parts, journal, messages: { find: async () => row, readShared: async () => row } } as unknown as Ports;
  return collect(
    new Streams(ports).reply({ ...task, status: 'running' }, { member_id: 1, reads: false, after, signal: new AbortController().signal }),
  );
}

t.test('the beginning of a reply is read from the database if the journal has lost it', async (t) => {
  const delta = { cursor: '1', type: 'message.delta', data: { seq: 5, ...ids, delta: 'the end.' } };
  const events = await read([delta, done], { status: 'streaming', content: 'This is ', seq: 4 });
  t.same(typesOf(events), ['snapshot', 'message.delta', 'done']);
  t.equal(textOf(events), 'This is the end.');
});

t.test('a reader with a gap in a reply receives the text so far, then the rest', async (t) => {
  const delta = { cursor: '1', type: 'message.delta', data: { seq: 5, ...ids, delta: 'the end.' } };
  const events = await read([{ type: 'gap', cursor: '0' }, delta, done], { status: 'streaming', content: 'This is ', seq: 4 }, 'before');
  t.same(typesOf(events), ['snapshot', 'message.delta', 'done']);
  t.equal(textOf(events), 'This is the end.');
});

t.test('a reader receives the whole end of a reply, although the journal has only its last entry', async (t) => {
  const events = await read([{ type: 'gap', cursor: '0' }, done], { status: 'failed', content: 'This', seq: 3 }, 'before');
  t.same(typesOf(events), ['snapshot', 'message.failed', 'task.updated', 'done']);
  t.same(
    events.map(({ data }) => (data as { seq: number }).seq),
    [3, 4, 5, 6],
  );
});

t.test('a session reader with a gap receives the latest messages one by one', async (t) => {
  const stored = ['a', 'b', 'c'].map((id) => ({ message: { id, task_id: null, content: id, status: 'completed' }, seq: 1 }));
  let asked: string[] = [];
  const messages = {
    inProgress: async () => [],
    latest: async () => ['a', 'gone', 'b', 'c'],
    readShared: async (id: string) => {
      asked.push(id);
      return stored.find(({ message }) => message.id === id);
    },
  };
  const journal = {
    head: async () => '0',
    async *follow() {
      yield { type: 'gap', cursor: '1' };
    },
  };
  const place = { signal: new AbortController().signal, leave: () => undefined };
  const parts = { readers: { enter: () => place }, sessions: { get: async () => ({}) } };
  const ports = { ...parts, journal, messages } as unknown as Ports;
  const events = await new Streams(ports).session('s', { member_id: 1, reads: false, signal: new AbortController().signal });
  const looks: string[][] = [];
  for await (const { type, data } of events) {
    looks.push([type, (data as { message: Message }).message.id, ...asked]);
    asked = [];
  }
  t.same(looks, [
    ['snapshot', 'a', 'a'],
    ['snapshot', 'b', 'gone', 'b'],
    ['snapshot', 'c', 'c'],
  ]);
});
