import t from 'tap';
import { piecesOf } from '../../../extensions/chat/search/terms.js';
import { searchedText } from '../../../extensions/chat/text.js';

const filesOf = (count: number) => Array.from({ length: count }, (_, at) => ({ id: String(at), name: `${at}.txt` }));
const textsOf = (count: number, text: string) => new Map(filesOf(count).map(({ id }) => [id, text]));

t.test('a message is searched by its text, then the names of its files, and then their texts', async (t) => {
  t.equal(searchedText({ content: 'Hello', files: [] }), 'Hello');
  t.equal(searchedText({ content: '', files: filesOf(2) }), '0.txt\n1.txt');
  t.equal(searchedText({ content: 'Hello', files: filesOf(2) }, new Map([['1', 'One']])), 'Hello\n0.txt\n1.txt\nOne');
});

t.test('the searched text has a limit that up to four files fill alone and more share, and all of it is searched', async (t) => {
  for (const [count, share] of [
    [1, 65_536],
    [4, 65_536],
    [10, 26_214],
  ] as const) {
    const texts = searchedText({ content: 'Hello', files: filesOf(count) }, textsOf(count, 'x'.repeat(70_000)))
      .split('\n')
      .slice(count + 1);
    t.same(
      texts.map(({ length }) => length),
      Array.from({ length: count }, () => share),
    );
  }
  const longest = searchedText({ content: 'y'.repeat(70_000), files: filesOf(10) }, textsOf(10, `${'x '.repeat(13_104)}end`));
  t.equal(piecesOf(longest).filter(({ text }) => text === 'end').length, 10, 'also the end of the last file');
});

t.test('the searched text never ends within a character', async (t) => {
  const emoji = `x${'😀'.repeat(40_000)}`;
  for (const text of [
    searchedText({ content: emoji, files: [] }),
    searchedText({ content: '', files: filesOf(1) }, textsOf(1, emoji)),
    searchedText({ content: '', files: filesOf(10) }, textsOf(10, emoji)),
  ])
    t.ok(text.isWellFormed());
});
