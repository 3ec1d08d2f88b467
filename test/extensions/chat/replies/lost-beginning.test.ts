import t from 'tap';
import type { Task } from '../../../../extensions/chat/contract.js';
import type { Ports } from '../../../../extensions/chat/ports.js';
import { Streams } from '../../../../extensions/chat/replies/streams.js';
import { collect, textOf, typesOf } from '../world.js';

const ids = { task_id: 'task', message_id: 'reply' };

t.test('who wants all of a reply has from the database what the journal has lost of its beginning', async (t) => {
  const entries = [
    { cursor: '1', type: 'message.delta', data: { seq: 5, ...ids, delta: 'the end.' } },
    { cursor: '2', type: 'done', data: { seq: 6, ...ids } },
  ];
  const stored = { message: { id: 'reply', task_id: 'task', content: 'This is ', status: 'streaming' }, seq: 4 };
  const journal = {
    async *follow() {
      yield* entries;
    },
  };
  const place = { signal: new AbortController().signal, leave: () => undefined };
  const parts = { readers: { enter: () => place }, sessions: { get: async () => ({}) } };
  const ports = { ...parts, journal, messages: { find: async () => stored, shown: async () => stored } } as unknown as Ports;
  const task = { id: 'task', reply_id: 'reply', status: 'running' } as Task;
  const events = await collect(new Streams(ports).reply(task, { member_id: 1, signal: new AbortController().signal }));
  t.same(typesOf(events), ['snapshot', 'message.delta', 'done']);
  t.equal(textOf(events), 'This is the end.');
});
