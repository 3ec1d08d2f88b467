import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { BackupReport } from '../../../kernel/contract/system.js';
import { becomes } from '../../helpers/eventually.js';
import { callerOf, ownExtension, startPlatform, type TestPlatform } from '../../helpers/platform.js';
import { contentFiles, upload } from './files/uploads.js';
import { someone } from './world.js';

/** Returns the words that are in a file of the data folder, other than backups. */
async function found({ data_dir }: TestPlatform, words: readonly string[]): Promise<string[]> {
  // A file may be removed meanwhile.
  const read = (path: string) => readFile(path).catch(() => Buffer.alloc(0));
  const files = await Promise.all((await contentFiles(data_dir)).map(read));
  return words.filter((word) => files.some((bytes) => bytes.includes(word)));
}

async function foundInBackup({ kernel, data_dir }: TestPlatform, words: readonly string[]): Promise<string[]> {
  const { body } = await kernel.invoke('maintenance.backup', {}, callerOf());
  const bytes = await readFile(join(data_dir, 'backups', (body as BackupReport).file));
  return words.filter((word) => bytes.includes(word));
}

t.test(
  'on SQLite deleted and replaced words are in no file soon after, also not in the search index, and in no later backup',
  async (t) => {
    const platform = await startPlatform(t, { extensions: ['members', 'chat', 'agents'].map(ownExtension) });
    const { http } = await someone(t, platform);
    const words: string[] = [];
    const newWord = () => {
      const word = `quince${randomBytes(6).toString('hex')}`;
      words.push(word);
      return word;
    };
    const say = (content: string, more: object = {}) => http.chat.send({ content, target_type: '', ...more });
    // Other messages fill the pages and the index.
    const kept = await say('Plans');
    const { session_id } = kept;
    for (let n = 0; n < 40; n += 1) await say(`Note ${n} on apples, pears and ${'plums '.repeat(n)}`, { session_id });

    const deleted = await say(`Buy ${newWord()}`, { session_id });
    const long = await say(`${newWord()} ${'jelly '.repeat(2_000)} ${newWord()}`, { session_id });
    const edited = await say(`Sell ${newWord()}`, { session_id });
    const { id: file_id } = await upload(http, `${newWord()}.bin`, newWord());
    const withFile = await say('', { session_id, files: [file_id] });
    const ended = await say(`Keep ${newWord()}`);
    const { id: unsent } = await upload(http, `${newWord()}.bin`, newWord());
    t.same((await found(platform, words)).length, words.length, 'the test finds them');
    t.same((await foundInBackup(platform, words)).length, words.length);

    for (const { message_id } of [deleted, long, withFile]) await http.messages.delete({ message_id });
    await http.messages.edit({ message_id: edited.message_id, content: 'Sell nothing' });
    await http.sessions.delete({ session_id: ended.session_id });
    await http.files.delete({ file_id: unsent });
    // It must not get the number of a message that is still in the index.
    const later = await say('Buy marzipan');
    await becomes(t, () => found(platform, words), [], 90_000);
    t.same(await foundInBackup(platform, words), []);
    const search = async (q: string) => (await http.messages.search({ q, limit: 200 })).map(({ id }) => id);
    t.equal((await search('pears apples')).length, 40, 'the others are still there');
    t.same(await search('marzipan'), [later.message_id]);
  },
);
