import t from 'tap';
import { StreamWrap } from '../../cli/stream-wrap.js';

const cases = [
  { name: 'a word that does not fit begins the next line', text: 'one two three four', shown: 'one two\nthree\nfour' },
  { name: 'line breaks and indents stay', text: 'one\n  - two\n\nsix', shown: 'one\n  - two\n\nsix' },
  { name: 'a word longer than a line stays whole', text: 'a https://host/path b', shown: 'a\nhttps://host/path\nb' },
  { name: 'wide characters count as two', text: '一二 三四 五', shown: '一二\n三四 五' },
  {
    name: 'fenced code stays as it is',
    text: '```\na long line of code\n```\none two three',
    shown: '```\na long line of code\n```\none two\nthree',
  },
];

for (const { name, text, shown } of cases)
  t.test(name, (t) => {
    for (const size of [1, 3, text.length]) {
      const wrap = new StreamWrap(8);
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      t.equal(pieces.map((piece) => wrap.take(piece)).join('') + wrap.end(), shown, `in pieces of ${size}`);
    }
    t.end();
  });
