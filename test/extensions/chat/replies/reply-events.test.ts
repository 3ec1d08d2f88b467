import { once } from 'node:events';
import t from 'tap';
import type { Task } from '../../../../extensions/chat/contract.js';
import type { Ports } from '../../../../extensions/chat/ports.js';
import { notThere } from '../../../../extensions/chat/replies/readers.js';
import { ReplyEvents } from '../../../../extensions/chat/replies/reply-events.js';

const task = { id: 'task', session_id: 'session', reply_id: 'reply', status: 'running' } as Task;

/** Follows a topic in which nothing happens. */
function silence(signal: AbortSignal) {
  const next = async () => {
    if (!signal.aborted) await once(signal, 'abort');
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

t.test('a removed reader gets a failure instead of the end of the reply', async (t) => {
  const place = new AbortController();
  let left = 0;
  const ports = {
    readers: { enter: () => ({ signal: place.signal, leave: () => (left += 1) }) },
    sessions: { get: async () => ({}) },
    journal: { follow: (_topic: string, { signal }: { signal: AbortSignal }) => silence(signal) },
  } as unknown as Ports;
  const events = new ReplyEvents(task, { member_id: 7, reads: false, signal: new AbortController().signal }, ports);
  const first = events.next();
  setImmediate(() => place.abort(notThere('session')));
  await t.rejects(first, { code: 'session_not_found' });
  t.equal(left, 1);
  t.same(await events.next(), { done: true, value: undefined });
});
