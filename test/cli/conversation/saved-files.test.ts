import { readFileSync } from 'node:fs';
import t from 'tap';
import type { Api } from '../../../cli/conversation/api.js';
import { saveFile } from '../../../cli/conversation/saved-files.js';

const folder = t.testdir({ 'old.txt': 'Old' });
const before = process.cwd();
process.chdir(folder);
t.teardown(() => process.chdir(before));

const messages = [
  { images: [], files: [{ id: 'f1', name: 'old.txt' }] },
  { images: [{ url: '/api/chat/images/abc', mime_type: 'image/png' }], files: [{ id: 'f2', name: '../plan.txt' }] },
  { images: [], files: [{ id: 'f3', name: 'old.txt' }] },
];
const call = async (id: string, input: object) =>
  id === 'messages.list' ? messages : { bytes: Buffer.from(`${id} ${Object.values(input).join()}`) };
const place = { api: { call } as unknown as Api, conversation: { session_id: 's' } };

/** Saves a file; returns the question and what is said. */
async function save(wanted: string, answer: string): Promise<string[]> {
  const said: string[] = [];
  const ask = async (question: string) => {
    said.push(question);
    return answer;
  };
  await saveFile(wanted, place, { ask, say: (line) => said.push(line) });
  return said;
}

t.test('the latest file with a name is saved where the person wants, and never over another', async (t) => {
  t.strictSame(await save('OLD.txt', 'new.txt'), ['Save as (old.txt): ', 'Saved: new.txt (12 B)']);
  t.equal(readFileSync('new.txt', 'utf8'), 'files.get f3');
  await t.rejects(save('old.txt', ''), { message: "'old.txt' exists already; choose another name" });
  t.equal(readFileSync('old.txt', 'utf8'), 'Old');
});

t.test('the beginning of a name is enough, and the name loses its folders', async (t) => {
  t.strictSame(await save('../p', ''), ['Save as (plan.txt): ', 'Saved: plan.txt (12 B)']);
  t.strictSame(await save('image', ''), ['Save as (image.png): ', 'Saved: image.png (14 B)']);
  t.equal(readFileSync('image.png', 'utf8'), 'images.get abc');
});

t.test('an unknown name lists those there are', async (t) => {
  await t.rejects(save('none', ''), { message: "There is no file 'none' here", hint: 'there are: old.txt, ../plan.txt, image.png' });
  await t.rejects(save('', ''), { message: ':save needs the name of a file' });
  const empty = saveFile('a', { api: place.api, conversation: { session_id: undefined } }, { ask: async () => '', say: () => undefined });
  await t.rejects(empty, { message: 'The last 200 messages here have no files' });
});
