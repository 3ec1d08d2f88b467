import t from 'tap';
import type { Api } from '../../../cli/conversation/api.js';
import { lineCompleter } from '../../../cli/conversation/line-completion.js';

const folder = t.testdir({ 'grades.txt': 'a', 'my file.txt': 'b', room: 'c' });
const before = process.cwd();
process.chdir(folder);
t.teardown(() => process.chdir(before));

const rooms = ['Launch', 'Lunch break', 'la\u001B[2Jter'].map((title, id) => ({ id: String(id), title }));
const api = { call: async (id: string) => (id === 'sessions.list' ? rooms : []) } as unknown as Api;
const inRoom = lineCompleter(api, async () => ({ members: [{ username: 'grace' }, { username: 'greg' }], isOwner: true }));

t.test('behind an @ members come first, then files', async (t) => {
  t.strictSame(await inRoom('Hi @gr'), { word: '@gr', matches: ['@grace ', '@greg ', '@grades.txt '], more: 0 });
  t.strictSame(await inRoom('@ro'), { word: '@ro', matches: ['@room ', '@./room '], more: 0 });
  t.strictSame(await lineCompleter(api)('@gr'), { word: '@gr', matches: ['@grades.txt '], more: 0 });
});

t.test('commands and their values are completed: rooms by their titles, in any case, and files', async (t) => {
  const complete = lineCompleter(api);
  t.strictSame(await complete(':att'), { word: ':att', matches: [':attach '], more: 0 });
  t.strictSame(await complete(':open la'), { word: 'la', matches: ['Launch', 'later'], more: 0 });
  t.strictSame(await complete(':open Lunch b'), { word: 'Lunch b', matches: ['Lunch break'], more: 0 });
  t.strictSame(await complete(':attach my f'), { word: 'my f', matches: ['my file.txt'], more: 0 });
});

t.test('elsewhere a tab is text', (t) => {
  for (const text of ['Hello', '', ':', ':sessions x', ' :open La', 'a@b', 'Hi @grades.txt ']) t.equal(inRoom(text), undefined, text);
  t.end();
});
