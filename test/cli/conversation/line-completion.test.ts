import t from 'tap';
import type { Api } from '../../../cli/conversation/api.js';
import { lineCompleter } from '../../../cli/conversation/line-completion.js';

const folder = t.testdir({ 'grades.txt': 'a', 'my file.txt': 'b', room: 'c' });
const before = process.cwd();
process.chdir(folder);
t.teardown(() => process.chdir(before));

const rooms = ['Launch', 'Lunch break', 'la\u001B[2Jter'].map((title, id) => ({ id: String(id), title }));
const messages = [{ images: [], files: [{ id: '1', name: 'Plan.docx' }] }];
const answers: Record<string, unknown> = { 'sessions.list': rooms, 'messages.list': messages };
const api = { call: async (id: string) => answers[id] ?? [] } as unknown as Api;
const place = { api, conversation: { session_id: 's' } };
const inRoom = lineCompleter(place, async () => ({ members: [{ username: 'grace' }, { username: 'greg' }], isOwner: true }));

t.test('behind an @ members come first, then files', async (t) => {
  t.strictSame(await inRoom('Hi @gr'), { word: '@gr', matches: ['@grace ', '@greg ', '@grades.txt '], more: 0 });
  t.strictSame(await inRoom('@ro'), { word: '@ro', matches: ['@room ', '@./room '], more: 0 });
  t.strictSame(await lineCompleter(place)('@gr'), { word: '@gr', matches: ['@grades.txt '], more: 0 });
});

t.test('commands and their values are completed: rooms by their titles and files by their names, in any case', async (t) => {
  const complete = lineCompleter(place);
  t.strictSame(await complete(':att'), { word: ':att', matches: [':attach '], more: 0 });
  t.strictSame(await complete(':open la'), { word: 'la', matches: ['Launch', 'later'], more: 0 });
  t.strictSame(await complete(':open Lunch b'), { word: 'Lunch b', matches: ['Lunch break'], more: 0 });
  t.strictSame(await complete(':save pl'), { word: 'pl', matches: ['Plan.docx'], more: 0 });
  t.strictSame(await complete(':attach my f'), { word: 'my f', matches: ['my file.txt'], more: 0 });
});

t.test('elsewhere a tab is text', (t) => {
  for (const text of ['Hello', '', ':', ':sessions x', ' :open La', 'a@b', 'Hi @grades.txt ']) t.equal(inRoom(text), undefined, text);
  t.end();
});
