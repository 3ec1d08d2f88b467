import t from 'tap';
import type { Message, MessagePage } from '../../../../extensions/chat/contract.js';
import { MessageWindow, type Source, withReaction } from '../../../../extensions/chat/web/message-window.js';

function message(n: number, changes: Partial<Message> = {}): Message {
  const created_at = new Date(n * 1_000).toISOString();
  return {
    id: `m${n}`,
    session_id: 's',
    thread_id: null,
    content: `text ${n}`,
    reactions: [],
    tool_calls: [],
    images: [],
    files: [],
    created_at,
    updated_at: created_at,
    ...changes,
  } as unknown as Message;
}

/** A conversation on a server. */
class Conversation implements Source {
  readonly all: Message[];
  reads = 0;
  fails = false;

  constructor(count: number) {
    this.all = Array.from({ length: count }, (_, n) => message(n));
  }

  async list({ before, after, limit }: Pick<MessagePage, 'before' | 'after' | 'limit'>): Promise<Message[]> {
    this.reads += 1;
    if (this.fails) throw Object.assign(new Error('unreachable'), { code: 'unreachable' });
    const index = (id: string) => this.all.findIndex((one) => one.id === id);
    if (after !== undefined) return this.all.slice(index(after) + 1).slice(0, limit);
    return (before === undefined ? this.all : this.all.slice(0, index(before))).slice(-limit);
  }

  async get(id: string): Promise<Message> {
    const found = this.all.find((one) => one.id === id);
    if (!found) throw Object.assign(new Error('gone'), { code: 'message_not_found' });
    return found;
  }

  has({ thread_id }: Message): boolean {
    return thread_id === null;
  }
}

const ids = (window: MessageWindow) => window.state().messages.map(({ id }) => id);
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `m${from + n}`);

t.test('it opens at the end and reads backwards without a gap', async (t) => {
  const source = new Conversation(120);
  const window = new MessageWindow(source);
  await window.open();
  t.same(ids(window), numbers(70, 120));
  await window.older();
  await window.older();
  await window.older();
  t.same(ids(window), numbers(0, 120));
  t.match(window.state(), { hasOlder: false, hasNewer: false });
});

t.test('it opens around a message and reads on in both directions', async (t) => {
  const window = new MessageWindow(new Conversation(200));
  await window.open('m100');
  t.same(ids(window), numbers(75, 126));
  t.match(window.state(), { hasOlder: true, hasNewer: true });
  await window.older();
  t.ok(window.state().shift, 'the list keeps its place from the end');
  await window.newer();
  t.notOk(window.state().shift);
  t.same(ids(window), numbers(25, 176));
});

t.test('two readings at once are one', async (t) => {
  const source = new Conversation(200);
  const window = new MessageWindow(source);
  await window.open();
  source.reads = 0;
  await Promise.all([window.older(), window.older(), window.older()]);
  t.equal(source.reads, 1);
});

t.test('of a message that is gone it shows the latest, and the failure', async (t) => {
  const window = new MessageWindow(new Conversation(10));
  await window.open('m99');
  t.same(ids(window), numbers(0, 10));
  t.match(window.state(), { phase: 'ready', error: { code: 'message_not_found' } });
});

t.test('a failed reading leaves what is shown, and can be repeated', async (t) => {
  const source = new Conversation(120);
  const window = new MessageWindow(source);
  source.fails = true;
  await window.open();
  t.match(window.state(), { phase: 'failed' });
  source.fails = false;
  await window.open();
  source.fails = true;
  await window.older();
  t.match(window.state(), { phase: 'ready', error: { code: 'unreachable' } });
  t.same(ids(window), numbers(70, 120));
  source.fails = false;
  await window.older();
  t.equal(window.state().error, undefined);
  t.same(ids(window), numbers(20, 120));
});

t.test('an arriving message takes its place, once; while later ones are not read it waits for them', async (t) => {
  const source = new Conversation(200);
  const window = new MessageWindow(source);
  await window.open();
  window.take(message(201));
  window.take(message(200));
  window.take(message(200, { content: 'edited' }));
  t.same(ids(window).slice(-3), ['m199', 'm200', 'm201']);
  t.equal(window.find('m200')?.content, 'edited');
  window.take(message(300, { thread_id: 'm5' }));
  t.equal(window.find('m300'), undefined, 'it belongs to a thread');
  await window.open('m50');
  window.take(message(400));
  t.equal(window.find('m400'), undefined);
});

t.test('after frames were missed it takes up what came, what changed, and begins anew if it was too much', async (t) => {
  const source = new Conversation(60);
  const window = new MessageWindow(source);
  await window.open();
  source.all.push(message(60), message(61));
  source.all[59] = message(59, { content: 'edited' });
  await window.catchUp();
  t.same(ids(window), numbers(10, 62));
  t.equal(window.find('m59')?.content, 'edited');
  const { generation } = window.state();
  source.all.push(...Array.from({ length: 100 }, (_, n) => message(62 + n)));
  await window.catchUp();
  t.same(ids(window), numbers(112, 162));
  t.equal(window.state().generation, generation + 1);
});

t.test('a conversation that was left begins with its messages of then, and is brought up to date', async (t) => {
  const source = new Conversation(60);
  const left = new MessageWindow(source);
  await left.open();
  source.all.push(message(60));
  source.all[59] = message(59, { content: 'edited' });
  const window = new MessageWindow(source, left.state());
  t.same(ids(window), numbers(10, 60), 'before anything is read');
  await window.catchUp();
  t.same(ids(window), numbers(10, 61));
  t.equal(window.find('m59')?.content, 'edited');
});

t.test('messages that were asked for early are read once, and again if that failed', async (t) => {
  const source = new Conversation(60);
  const window = new MessageWindow(source);
  await window.open(undefined, Promise.resolve(source.all.slice(-50)));
  t.same([ids(window), window.state().hasOlder, source.reads], [numbers(10, 60), true, 0]);
  const other = new MessageWindow(source);
  await other.open(undefined, Promise.reject(new Error('unreachable')));
  t.same([ids(other), source.reads], [numbers(10, 60), 1]);
});

t.test('a frame that was too long for its message is read whole', async (t) => {
  const source = new Conversation(3);
  const window = new MessageWindow(source);
  await window.open();
  source.all.push(message(3, { content: 'all of it' }));
  await window.takeFrame({ message: message(3, { content: 'all' }), truncated: true });
  t.equal(window.find('m3')?.content, 'all of it');
});

t.test("reactions keep whose they are, although frames don't say it", async (t) => {
  const window = new MessageWindow(new Conversation(1));
  await window.open();
  window.change('m0', (one) => withReaction(one, { emoji: '👍', added: true, mine: true }));
  window.take(message(0, { reactions: [{ emoji: '👍', count: 2, mine: false }] }));
  t.same(window.find('m0')?.reactions, [{ emoji: '👍', count: 2, mine: true }]);
  window.change('m0', (one) => withReaction(one, { emoji: '👍', added: true, mine: true }));
  t.same(window.find('m0')?.reactions, [{ emoji: '👍', count: 2, mine: true }], 'the own frame changes nothing');
  window.change('m0', (one) => withReaction(one, { emoji: '👍', added: false, mine: false }));
  window.change('m0', (one) => withReaction(one, { emoji: '👍', added: false, mine: true }));
  t.same(window.find('m0')?.reactions, []);
});

t.test('a deleted message stays without its content', async (t) => {
  const window = new MessageWindow(new Conversation(2));
  await window.open();
  window.delete('m1');
  t.match(window.find('m1'), { content: '', deleted_at: String });
  t.equal(ids(window).length, 2);
});

t.test('what arrives while messages are read is not lost with the answer', async (t) => {
  const source = new Conversation(3);
  const window = new MessageWindow(source);
  const opening = window.open();
  window.take(message(3));
  await opening;
  t.same(ids(window), numbers(0, 4), 'at the first reading');
  source.all.push(message(3), message(4));
  const list = source.list.bind(source);
  source.list = async (page) => {
    const found = await list(page);
    window.take(message(5));
    window.take(message(4, { content: 'edited', updated_at: new Date(9_000).toISOString() }));
    window.take(message(3, { content: 'older', updated_at: new Date(1_000).toISOString() }));
    window.delete('m2');
    return found;
  };
  await window.catchUp();
  t.same(ids(window), numbers(0, 6), 'after a break');
  t.equal(window.find('m4')?.content, 'edited');
  t.equal(window.find('m3')?.content, 'text 3', 'what was read is newer');
  t.type(window.find('m2')?.deleted_at, 'string');
});
