import t from 'tap';
import { completionFor } from '../../../../extensions/chat/web/completion.js';
import { mentionBefore, mentionedNames } from '../../../../extensions/chat/web/mentions.js';

const members = [
  { username: 'ada', nickname: 'Ada Lovelace', is_virtual: true },
  { username: 'ben', nickname: 'Adam Ben', is_virtual: false },
  { username: 'grace', nickname: 'Grace', is_virtual: false },
];
const source = {
  members,
  everybody: { name: 'room', detail: 'all' },
  commands: [
    ['help', ''],
    ['tools', ''],
  ] as const,
};
const inserts = (before: string) => completionFor(before, source)?.choices.map(({ insert }) => insert) ?? [];

t.test('a mention begins a word of its own, also in scripts without spaces', async (t) => {
  t.equal(mentionBefore('Hello @ad'), '@ad');
  t.equal(mentionBefore('@'), '@');
  t.equal(mentionBefore('你好@ad'), '@ad');
  t.equal(mentionBefore('＠ad'), '＠ad');
  for (const text of ['me@ad', 'a/@ad', '@ad ', 'x@@ad']) t.equal(mentionBefore(text), undefined, text);
});

t.test('user names come before names, and everybody last', async (t) => {
  t.same(inserts('Hi @ad'), ['@ada ', '@ben ']);
  t.same(inserts('@r'), ['@room ']);
  t.same(inserts('@zz'), []);
});

t.test('a command stands at the beginning, or behind mentions', async (t) => {
  t.same(inserts('/'), ['/help ', '/tools ']);
  t.same(inserts('@ada /t'), ['/tools ']);
  t.same(inserts('see /t'), []);
  t.equal(completionFor('@ada /t', source)?.start, 5);
});

t.test('mentioned names are those of the text', async (t) => {
  const mentions = [{ member_id: 1, offset: 3, length: 4 }];
  t.same(mentionedNames({ content: 'Hi @ada!', mentions }), ['ada']);
});
