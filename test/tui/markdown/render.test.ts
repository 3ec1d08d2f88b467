import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'string-width';
import t from 'tap';
import { renderMarkdown } from '../../../tui/markdown/render.js';

const plain = { width: 30, color: false };
const styled = { width: 30, color: true };
const dashboard = { ...plain, breaksWords: true };

const cases: Readonly<Record<string, [text: string, lines: string[], options?: typeof plain & { breaksWords?: boolean }]>> = {
  'without colours, marks show the structure': [
    '# Ducks\n## Kinds\n**bold** *slanted* ~~gone~~ `x = 1`',
    ['# Ducks', '## Kinds', '**bold** *slanted* ~~gone~~ `x', '= 1`'],
  ],
  'with colours, styles replace the marks': [
    '# Ducks\n### Kinds\n**bold *both*** ~~gone~~ `x = 1`',
    [
      '\u001B[1;4mDucks\u001B[0m',
      '\u001B[1m### Kinds\u001B[0m',
      '\u001B[1mbold\u001B[0m \u001B[1;3mboth\u001B[0m \u001B[9mgone\u001B[0m \u001B[36mx = 1\u001B[0m',
    ],
  ],
  'line breaks within a paragraph stay, and longer lines wrap between words': [
    'One\ntwo words and some more of them than fit',
    ['One', 'two words and some more of them', 'than fit'],
    { ...plain, width: 31 },
  ],
  'blocks have an empty line between them where the text has': [
    'One\n\n\nTwo:\n- a\n- b\n\nThree',
    ['One', '', 'Two:', '• a', '• b', '', 'Three'],
  ],
  'lists are nested, numbered and have tasks': [
    '- one with more words than fit in the line\n  1. first\n  2. second\n- [x] done\n- [ ] open\n\n9. nine\n9. ten',
    ['• one with more words than fit', '  in the line', '  1. first', '  2. second', '[x] done', '[ ] open', '', '9. nine', '10. ten'],
  ],
  'an item may have paragraphs and code': [
    '1. One\n\n   ```sh\n   ls\n   ```\n\n   Two',
    ['1. One', '', '   ```sh', '   ls', '   ```', '', '   Two'],
  ],
  'quotes have a bar at each level': ['> One **two**\n> > three', ['│ One **two**', '│', '│ │ three']],
  'a link shows its address, once': [
    '[text](https://a.example) <https://b.example> [https://c.example](https://c.example) <d@e.example>',
    ['text (https://a.example)', 'https://b.example', 'https://c.example d@e.example'],
  ],
  "a link's text cannot replace its address": ['[https://a.example](https://b.example)', ['https://a.example', '(https://b.example)']],
  'an address that runs code is no link': ['[text](javascript:alert(1))', ['[text](javascript:alert(1))']],
  'an image is its name and address': ['![duck](a.png)', ['[image: duck] (a.png)']],
  'HTML is text': ['<b>x</b>\n\n<script>y</script>', ['<b>x</b>', '', '<script>y</script>']],
  'a definition of a link stays text': ['[a]\n\n[a]: https://a.example', ['[a]', '', '[a]: https://a.example']],
  'a rule has the width of the screen': ['---', ['─'.repeat(30)]],
  'long words and lines of code stay whole, to be copied': [
    `${'https://host/'.repeat(4)}\n\`\`\`\n${'code '.repeat(8)}\n\`\`\``,
    ['https://host/'.repeat(4), '```', 'code '.repeat(8), '```'],
  ],
  'in the dashboard they are broken': [
    `${'https://host/'.repeat(4)}\n\`\`\`\n${'code '.repeat(8)}\n\`\`\``,
    ['https://host/https://host/http', 's://host/https://host/', '```', 'code '.repeat(6), 'code code ', '```'],
    dashboard,
  ],
  'code that does not end is code': ['```\n# x\n\n*y*', ['```', '# x', '', '*y*', '```']],
  'columns are aligned by the width that they take': [
    '| Name | n |\n|--|-:|\n| 日本 | 1 |\n| 👩‍👩‍👧 | 22 |',
    ['Name │  n', '─────┼───', '日本 │  1', '👩‍👩‍👧   │ 22'],
  ],
  "a wide table's cells are wrapped": [
    '| Name | Note |\n|--|--|\n| Duck | a note with more words than fit |\n| Hen | b |',
    [
      'Name │ Note',
      '─────┼───────────────────────',
      'Duck │ a note with more words',
      '     │ than fit',
      '─────┼───────────────────────',
      'Hen  │ b',
    ],
    { ...plain, width: 29 },
  ],
  'a table with too many columns is a list of its values': [
    '|a|b|c|d|e|\n|-|-|-|-|-|\n|1|2|3|4|5|\n|6|7|8|9|0|',
    ['a: 1', 'b: 2', 'c: 3', 'd: 4', 'e: 5', '', 'a: 6', 'b: 7', 'c: 8', 'd: 9', 'e: 0'],
    { ...plain, width: 20 },
  ],
  'Chinese and Japanese wrap without blanks, never before a closing mark': [
    '一二三四五六七八九十，一二三四五六',
    ['一二三四五六七八九', '十，一二三四五六'],
    { ...plain, width: 20 },
  ],
  'control characters are removed, also those written as entities or in code': [
    'a\u001B[2J b\u0007 &#x202E;c `\u009B8m`\n```\n\u001B]0;x\u0007y\n```',
    ['a b c ``', '```', 'y', '```'],
  ],
};

for (const [name, [text, lines, options]] of Object.entries(cases))
  t.test(name, async (t) => {
    t.same(renderMarkdown(text, options ?? (name.startsWith('with colours') ? styled : plain)), lines);
  });

t.test('nesting and length are limited, and nothing is lost', async (t) => {
  const hostile = ['>'.repeat(10_000), '- '.repeat(10_000), '*a '.repeat(100_000), '['.repeat(200_000), 'word '.repeat(200_000)];
  for (const letter of ['x', 'é', '日', '한', 'ก', 'e\u0301', '👩‍👩‍👧']) hostile.push(letter.repeat(20_000));
  for (const start of hostile) {
    const shown = renderMarkdown(`${start}end`, { width: 40, color: true, breaksWords: true });
    t.match(shown.at(-1), 'end');
    t.ok(shown.every((line) => stringWidth(line) <= 40));
  }
});

const markdown = fc
  .array(
    fc.constantFrom(
      ...['# ', '- ', '1. ', '> ', '```', '| a | b |\n|-|-|\n| c | d |', '**', '*', '`', '~~', '[x](y)', '---', '\n', '\n\n', '    '],
      ...['word', '日本', '👩‍👩‍👧', '\u001B[31m', '\u202E', '&#x202E;', '<b>', 'a very_long_word_without_any_blank_in_it'],
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

t.test('no text gets beyond the width or emits a control sequence', async () => {
  fc.assert(
    fc.property(markdown, fc.integer({ min: 10, max: 60 }), (text, width) => {
      const colourless = renderMarkdown(text, { width, color: false, breaksWords: true });
      const coloured = renderMarkdown(text, { width, color: true, breaksWords: true });
      const codes = coloured.join('').replace(/\p{Cc}\[[0-9;]+m/gu, '');
      return (
        [...colourless, ...coloured.map(stripVTControlCharacters)].every((line) => stringWidth(line) <= width) &&
        !/[\p{Cc}\u202A-\u202E]/u.test(colourless.join('') + codes)
      );
    }),
  );
});
