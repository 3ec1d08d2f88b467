import t from 'tap';
import { ExtractedTexts, type StoredFile } from '../../../../extensions/chat/files/extracted-texts.js';
import type { DocumentOptions, DocumentText, UnreadableDocument } from '../../../../kernel/contract/index.js';
import { failureOf } from '../world.js';

const forever = new AbortController().signal;
const file = (change: Partial<StoredFile> = {}): StoredFile => ({ name: 'a.txt', mime_type: 'text/plain', bytes: 3, hash: 'h', ...change });
const textOf = (text: string): DocumentText => ({ pages: [text], outline: [], is_cut: false });

/** Extracts texts that a test decides, and lists the files that were read. */
function opened(answer: (options: DocumentOptions) => Promise<DocumentText | UnreadableDocument>) {
  const read: string[] = [];
  const documents = {
    read: (_bytes: Uint8Array, options: DocumentOptions) => {
      read.push(options.name);
      return answer(options);
    },
  };
  const bytesOf = async ({ hash }: StoredFile) => (hash === 'gone' ? undefined : Buffer.from(hash));
  return { texts: new ExtractedTexts({ documents, bytesOf }), read };
}

/** Waits for the signal, as a document that takes long. */
const stuck = ({ signal }: DocumentOptions) =>
  new Promise<DocumentText>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));

t.test('equal bytes are read once, unless the name or the type makes another kind of them', async (t) => {
  const { texts, read } = opened(async ({ name }) => textOf(name));
  const both = await Promise.all([texts.of(file(), forever), texts.of(file({ name: 'b.TXT' }), forever)]);
  t.same([...both, await texts.of(file(), forever)], [textOf('a.txt'), textOf('a.txt'), textOf('a.txt')]);
  await texts.of(file({ name: 'a.md' }), forever);
  await texts.of(file({ mime_type: 'text/html' }), forever);
  t.same(read, ['a.txt', 'a.md', 'a.txt']);
});

t.test('a document that can not be read is not tried again; one that took too long is, and so is a failure', async (t) => {
  let failing = true;
  const { texts, read } = opened(async ({ name }) => {
    if (name === 'bad.pdf') return { reason: 'The document is damaged' };
    if (failing && name === 'late.pdf') return { reason: 'It took too long', is_late: true };
    if (failing) throw new Error('no process');
    return textOf('read');
  });
  const bad = file({ name: 'bad.pdf', hash: 'bad' });
  for (let round = 0; round < 2; round += 1) t.same(await texts.of(bad, forever), { reason: 'The document is damaged' });
  await t.rejects(texts.of(file(), forever), { message: 'no process' });
  const late = file({ name: 'late.pdf', hash: 'late' });
  t.same(await texts.of(late, forever), { reason: 'It took too long', is_late: true });
  failing = false;
  t.same(await texts.of(late, forever), textOf('read'));
  t.same(await texts.of(file(), forever), textOf('read'));
  t.same(read, ['bad.pdf', 'a.txt', 'late.pdf', 'late.pdf', 'a.txt']);
  t.same(await failureOf(texts.of(file({ hash: 'gone' }), forever)), { code: 'file_not_found', status: 404 });
});

t.test('the least recently used texts are dropped', async (t) => {
  const { texts, read } = opened(async () => textOf('x'.repeat(4_000_000)));
  const of = (hash: string) => texts.of(file({ name: hash, hash }), forever);
  for (const hash of ['a', 'b', 'a', 'c', 'a', 'b']) await of(hash);
  t.same(read, ['a', 'b', 'c', 'b']);
});

t.test('an extraction goes on while anybody waits for it, and ends when nobody does', async (t) => {
  let ended = 0;
  const { texts, read } = opened((options) => {
    options.signal?.addEventListener('abort', () => {
      ended += 1;
    });
    return stuck(options);
  });
  const [one, two] = [new AbortController(), new AbortController()];
  const waiting = [texts.of(file(), one.signal), texts.of(file(), two.signal)];
  const outcomes = Promise.allSettled(waiting);
  await new Promise(setImmediate);
  one.abort(new Error('one left'));
  await t.rejects(waiting[0] as Promise<unknown>, { message: 'one left' });
  t.equal(ended, 0);
  two.abort(new Error('two left'));
  t.match(await outcomes, [{ reason: { message: 'one left' } }, { reason: { message: 'two left' } }]);
  t.equal(ended, 1);
  const again = new AbortController();
  const last = texts.of(file(), again.signal);
  await new Promise(setImmediate);
  t.equal(read.length, 2, 'a later caller starts another one');
  again.abort(new Error('enough'));
  await t.rejects(last, { message: 'enough' });
});

t.test('two files are in memory at once; one that nobody waits for any more is never read', async (t) => {
  const { texts, read } = opened(stuck);
  const aborts = ['a', 'b', 'c'].map((hash) => {
    const abort = new AbortController();
    texts.of(file({ name: hash, hash }), abort.signal).catch(() => undefined);
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
  const { texts, read } = opened(stuck);
  const abort = new AbortController();
  const of = (name: string, member_id: number) => texts.of(file({ name, hash: name }), abort.signal, member_id).catch(() => undefined);
  const all = [of('slow 1', 1), of('slow 2', 1), of('slow 3', 1), of('other', 2)];
  await new Promise(setImmediate);
  t.same(read, ['slow 1', 'other']);
  abort.abort(new Error('enough'));
  await Promise.all(all);
});
