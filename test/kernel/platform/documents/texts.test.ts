import t from 'tap';
import type { DocumentOptions, DocumentText, StoredDocument, UnreadableDocument } from '../../../../kernel/contract/index.js';
import { CachedTexts } from '../../../../kernel/platform/documents/texts.js';

const forever = new AbortController().signal;
const textOf = (text: string): DocumentText => ({ pages: [text], outline: [], is_cut: false });

/** A document whose bytes are its hash. */
function file({ hash = 'h', ...change }: Partial<StoredDocument> = {}): StoredDocument {
  const bytes = async () => {
    if (hash === 'gone') throw new Error('no bytes');
    return Buffer.from(hash);
  };
  return { name: 'a.txt', mime_type: 'text/plain', hash, bytes, ...change };
}

/** Reads texts that a test decides, and lists the documents that were read. */
function opened(answer: (options: DocumentOptions) => Promise<DocumentText | UnreadableDocument>) {
  const read: string[] = [];
  const documents = {
    read: (_bytes: Uint8Array, options: DocumentOptions) => {
      read.push(options.name);
      return answer(options);
    },
  };
  const texts = new CachedTexts(documents);
  const of = (document: StoredDocument, signal = forever, member_id?: number) => texts.of(document, { signal, member_id });
  return { of, read };
}

/** Waits for the signal, as a document that takes long. */
const stuck = ({ signal }: DocumentOptions) =>
  new Promise<DocumentText>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));

t.test('equal bytes are read once, unless the name or the type makes another kind of them', async (t) => {
  const { of, read } = opened(async ({ name }) => textOf(name));
  const both = await Promise.all([of(file()), of(file({ name: 'b.TXT' }))]);
  t.same([...both, await of(file())], [textOf('a.txt'), textOf('a.txt'), textOf('a.txt')]);
  await of(file({ name: 'a.md' }));
  await of(file({ mime_type: 'text/html' }));
  t.same(read, ['a.txt', 'a.md', 'a.txt']);
});

t.test('a document that can not be read is not tried again; one that took too long is, and so is a failure', async (t) => {
  let failing = true;
  const { of, read } = opened(async ({ name }) => {
    if (name === 'bad.pdf') return { reason: 'The document is damaged' };
    if (failing && name === 'late.pdf') return { reason: 'It took too long', is_late: true };
    if (failing) throw new Error('no process');
    return textOf('read');
  });
  const bad = file({ name: 'bad.pdf', hash: 'bad' });
  for (let round = 0; round < 2; round += 1) t.same(await of(bad), { reason: 'The document is damaged' });
  await t.rejects(of(file()), { message: 'no process' });
  const late = file({ name: 'late.pdf', hash: 'late' });
  t.same(await of(late), { reason: 'It took too long', is_late: true });
  failing = false;
  t.same(await of(late), textOf('read'));
  t.same(await of(file()), textOf('read'));
  t.same(read, ['bad.pdf', 'a.txt', 'late.pdf', 'late.pdf', 'a.txt']);
  await t.rejects(of(file({ hash: 'gone' })), { message: 'no bytes' });
});

t.test('a text that was cut on demand is not the whole one, but the whole one is enough for less', async (t) => {
  const whole = 'x'.repeat(10);
  const limits: (number | undefined)[] = [];
  const documents = {
    read: async (_bytes: Uint8Array, { max_characters = 100 }: DocumentOptions) => {
      limits.push(max_characters);
      return { ...textOf(whole.slice(0, max_characters)), is_cut: max_characters < whole.length };
    },
  };
  const texts = new CachedTexts(documents);
  const of = (document: StoredDocument, max_characters?: number) => texts.of(document, { signal: forever, max_characters });
  const [part, all] = await Promise.all([of(file(), 4), of(file())]);
  t.same([part, all], [{ ...textOf('xxxx'), is_cut: true }, textOf(whole)]);
  t.same(await of(file(), 4), textOf(whole));
  t.same(limits, [4, 100]);
  const other = file({ hash: 'other' });
  for (const max_characters of [4, 4, 20, undefined]) await of(other, max_characters);
  t.same(limits, [4, 100, 4, 4, 20], 'a text that the limit did not cut is the whole one');
});

t.test('the least recently used texts are dropped', async (t) => {
  const { of, read } = opened(async () => textOf('x'.repeat(4_000_000)));
  for (const hash of ['a', 'b', 'a', 'c', 'a', 'b']) await of(file({ name: hash, hash }));
  t.same(read, ['a', 'b', 'c', 'b']);
});

t.test('a reading goes on while anybody waits for it, and ends when nobody does', async (t) => {
  let ended = 0;
  const { of, read } = opened((options) => {
    options.signal?.addEventListener('abort', () => {
      ended += 1;
    });
    return stuck(options);
  });
  const [one, two] = [new AbortController(), new AbortController()];
  const waiting = [of(file(), one.signal), of(file(), two.signal)];
  const outcomes = Promise.allSettled(waiting);
  await new Promise(setImmediate);
  one.abort(new Error('one left'));
  await t.rejects(waiting[0] as Promise<unknown>, { message: 'one left' });
  t.equal(ended, 0);
  two.abort(new Error('two left'));
  t.match(await outcomes, [{ reason: { message: 'one left' } }, { reason: { message: 'two left' } }]);
  t.equal(ended, 1);
  const again = new AbortController();
  const last = of(file(), again.signal);
  await new Promise(setImmediate);
  t.equal(read.length, 2, 'a later caller starts another one');
  again.abort(new Error('enough'));
  await t.rejects(last, { message: 'enough' });
});

t.test('two files are in memory at once; one that nobody waits for any more is never read', async (t) => {
  const { of, read } = opened(stuck);
  const aborts = ['a', 'b', 'c'].map((hash) => {
    const abort = new AbortController();
    of(file({ name: hash, hash }), abort.signal).catch(() => undefined);
    return abort;
  });
  await new Promise(setImmediate);
  t.same(read, ['a', 'b']);
  aborts[2]?.abort();
  aborts[0]?.abort();
  await new Promise(setImmediate);
  t.same(read, ['a', 'b']);
  aborts[1]?.abort();
});

t.test("a member's slow documents don't keep others waiting", async (t) => {
  const { of, read } = opened(stuck);
  const abort = new AbortController();
  const ask = (name: string, member_id: number) => of(file({ name, hash: name }), abort.signal, member_id).catch(() => undefined);
  const all = [ask('slow 1', 1), ask('slow 2', 1), ask('slow 3', 1), ask('other', 2)];
  await new Promise(setImmediate);
  t.same(read, ['slow 1', 'other']);
  abort.abort(new Error('enough'));
  await Promise.all(all);
});
