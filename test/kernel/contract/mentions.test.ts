import t from 'tap';
import { mentionedNames, mentionsIn } from '../../../kernel/contract/mentions.js';

/** Returns each mention as its text, cut out by its place, and its name. */
const cut = (text: string) => mentionsIn(text).map(({ name, offset, length }) => [text.slice(offset, offset + length), name]);

t.test('each mention has its place in the text, in UTF-16 units', (t) => {
  t.same(mentionsIn('@Ann and 😀 @ben'), [
    { name: 'ann', offset: 0, length: 4 },
    { name: 'ben', offset: 12, length: 4 },
  ]);
  t.end();
});

t.test('a name is in lower case and ends before a full stop', (t) => {
  t.same(cut('Ask @BEN. Or @ada.l, (@eve...) and @x. @ann!'), [
    ['@BEN', 'ben'],
    ['@ada.l', 'ada.l'],
    ['@eve', 'eve'],
    ['@ann', 'ann'],
  ]);
  t.end();
});

t.test('only a whole word is a mention', (t) => {
  for (const text of [
    'ann@ben.org',
    'https://x.org/@ben',
    '@ben/core',
    '@@ben',
    'é@ben',
    '@ben@x.org',
    'a.@ben',
    '@b',
    '@ ben',
    `@${'b'.repeat(65)}`,
    '@bené',
    '写信给me@ben.org',
    'ann＠ben.org',
  ])
    t.same(cut(text), [], text);
  for (const text of ['(@ben)', '"@ben"', '@ben: hello', 'one\n@ben', '**@ben**', '@ben, @', '@ben你好'])
    t.same(cut(text), [['@ben', 'ben']], text);
  t.end();
});

t.test('scripts without spaces may surround a mention, and a full-width sign begins one', (t) => {
  for (const text of ['你好@ben吗', 'ねえ@benさん', 'サーバー@benへ', 'สวัสดี@benครับ', '@ben님', '你好，@ben。', '❤️@ben'])
    t.same(cut(text), [['@ben', 'ben']], text);
  t.same(cut('你好＠ben吗'), [['＠ben', 'ben']]);
  t.end();
});

t.test('code mentions nobody and moves no later mention', (t) => {
  t.same(cut('`@ann` ```\n@bob\n😀``` @ben `@eve'), [
    ['@ben', 'ben'],
    ['@eve', 'eve'],
  ]);
  t.same(cut('@ben ```\n@ann never ends'), [['@ben', 'ben']]);
  t.end();
});

t.test('a name that is mentioned again has two places and is listed once', (t) => {
  t.same(
    mentionsIn('@ben @ann @Ben').map(({ offset }) => offset),
    [0, 5, 10],
  );
  t.same(mentionedNames('@ben @ann @Ben'), ['ben', 'ann']);
  t.end();
});

t.test('only the first 20 names count, wherever they are', (t) => {
  const names = Array.from({ length: 25 }, (_, n) => `name${n}`);
  const text = [...names, 'name3'].map((name) => `@${name}`).join(' ');
  t.same(mentionedNames(text), names.slice(0, 20));
  t.same(
    mentionsIn(text).map(({ name }) => name),
    [...names.slice(0, 20), 'name3'],
  );
  t.end();
});
