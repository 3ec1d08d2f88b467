import t from 'tap';
import { Flusher } from '../../../../extensions/chat/replies/flusher.js';
import { Reply } from '../../../../extensions/chat/replies/reply.js';
import type { Messages } from '../../../../extensions/chat/store/messages-sql.js';
import type { Database, Log } from '../../../../kernel/contract/index.js';
import { gate } from '../scribe.js';

/** A database whose writes end when the test says so. */
class SlowStore {
  readonly stored = new Map<string, string>();
  /** The tool calls of each reply that was handed in. */
  readonly tool_calls: (string | null)[] = [];
  readonly flusher: Flusher;
  #begun = 0;
  #going = 0;
  max_at_once = 0;
  fails = 0;
  readonly #gates = Array.from({ length: 10 }, gate);

  constructor() {
    const log = { warn: () => undefined } as unknown as Log;
    const db = { transaction: <Value>(work: () => Value) => work() } as unknown as Database;
    const messages = { add: (states: Parameters<Messages['add']>[0]) => this.#write(states) } as unknown as Messages;
    this.flusher = new Flusher({ db, messages, log, clock: { now: () => 0, iso: () => '1' } });
  }

  end(write: number): void {
    this.#gates[write]?.open();
  }

  endAll(): void {
    for (const { open } of this.#gates) open();
  }

  /** Writes into a reply, and flushes; gives what of it is stored then. */
  async flushed(id: string): Promise<string | undefined> {
    const reply = new Reply({ task_id: id, message_id: id });
    reply.write(`Text of ${id}`);
    this.flusher.changed(reply);
    await this.flusher.flush();
    return this.stored.get(id);
  }

  async #write(states: Parameters<Messages['add']>[0]): Promise<void> {
    this.#going += 1;
    for (const { addition } of states) this.tool_calls.push(addition.tool_calls);
    this.max_at_once = Math.max(this.max_at_once, this.#going);
    await this.#gates[this.#begun++]?.passed;
    this.#going -= 1;
    if (this.fails-- > 0) throw new Error('No database');
    for (const { id, addition } of states) this.stored.set(id, (this.stored.get(id) ?? '').slice(0, addition.before) + addition.text);
  }
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};

const ids = ['a', 'b', 'c', 'd'];
const texts = ids.map((id) => `Text of ${id}`);

t.test('concurrent flushes during a write each return after their text is stored', async (t) => {
  const store = new SlowStore();
  const first = store.flushed('a');
  await turns(1);
  let ended = 0;
  const others = ids.slice(1).map((id) =>
    store.flushed(id).finally(() => {
      ended += 1;
    }),
  );
  store.end(0);
  t.equal(await first, texts[0]);
  await turns(5);
  t.equal(ended, 0, 'the next write for all of them is in progress');
  store.endAll();
  t.same(await Promise.all(others), texts.slice(1));
  t.equal(store.max_at_once, 1, 'writes never overlap');
});

t.test('the next flush stores the text of a failed write', async (t) => {
  const store = new SlowStore();
  store.fails = 1;
  const first = store.flushed('a');
  await turns(1);
  const others = ids.slice(1).map((id) => store.flushed(id));
  store.endAll();
  await t.rejects(first, { message: 'No database' });
  t.same(await Promise.all(others), texts.slice(1));
  t.equal(store.stored.get('a'), texts[0]);
});

t.test('tool calls are written only if they have changed', async (t) => {
  const store = new SlowStore();
  store.endAll();
  const reply = new Reply({ task_id: 'a', message_id: 'a' });
  const flush = () => {
    store.flusher.changed(reply);
    return store.flusher.flush();
  };
  const none = '[]';
  await flush();
  reply.write('More');
  await flush();
  reply.toolStarted({ id: 'c', name: 'dig', input: {}, now: '1' });
  const { tool_calls: one } = reply.progress();
  store.fails = 1;
  await t.rejects(flush());
  await flush();
  await flush();
  t.same(store.tool_calls, [none, null, one, one, null]);
});

t.test('each write adds new text, and text of a failed write is stored once', async (t) => {
  const store = new SlowStore();
  store.endAll();
  const reply = new Reply({ task_id: 'a', message_id: 'a' });
  const flush = (text: string) => {
    reply.write(text);
    store.flusher.changed(reply);
    return store.flusher.flush();
  };
  await flush('One, ');
  store.fails = 1;
  await t.rejects(flush('two, '));
  t.equal(store.stored.get('a'), 'One, ');
  // As if it had been stored, and only its answer was lost.
  store.stored.set('a', 'One, two, ');
  await flush('three.');
  t.equal(store.stored.get('a'), 'One, two, three.');
  t.equal(reply.content, 'One, two, three.');
});
