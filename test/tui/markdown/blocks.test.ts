import fc from 'fast-check';
import t from 'tap';
import { blocksOf, completeBlocksOf } from '../../../tui/markdown/blocks.js';

t.test('a text is split into paragraphs, items and other blocks; a line break stands for an empty line before', async (t) => {
  const text = '# One\nTwo\nlines\n\n- a\n\n  more\n- b\n1. c\n1. d\n\n\n```\nx\n\ny\n```\n> q\n\n| a |\n|-|\n| b |\n';
  const blocks = ['# One', 'Two\nlines', '\n- a\n\n  more', '- b', '1. c', '2. d', '\n```\nx\n\ny\n```', '> q', '\n| a |\n|-|\n| b |'];
  t.same(blocksOf(text), blocks);
});

const unfinished: Readonly<Record<string, [text: string, blocks: string[], rest: string]>> = {
  'a paragraph is complete after an empty line': ['One\n\nTw', ['One'], '\nTw'],
  'a paragraph may become a heading': ['One\n==', [], 'One\n=='],
  'a heading is complete after its line': ['# One\nTw', ['# One'], 'Tw'],
  'code is complete after its fence': ['```\na\n\nb\n```\n', ['```\na\n\nb\n```'], ''],
  'code without its end waits': ['One\n\n```\na\n\n', ['One'], '\n```\na\n\n'],
  'an item is complete once the next begins': ['1. a\n1. b\n\n', ['1. a'], '2. b\n\n'],
  'a list is complete once a block follows': ['- a\n\nOne\n', ['- a'], '\nOne\n'],
  'a quote is complete after an empty line outside of it': ['> a\n>\n> b\n\n> c\n>\n', ['> a\n>\n> b'], '\n> c\n>\n'],
  'a line without its end waits': ['One', [], 'One'],
};

for (const [name, [text, blocks, rest]] of Object.entries(unfinished))
  t.test(name, async (t) => {
    t.same(completeBlocksOf(text), { blocks, rest });
  });

const part = fc.constantFrom('# ', '- ', '1. ', '> ', '```', '| a | b |\n|-|-|\n', '**', 'word', '---', '\n', '\n\n', '   ', '===', '\t');

t.test('pieces of a text give the same blocks as the whole', async () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const found: string[] = [];
      let rest = '';
      for (const piece of parts) {
        const taken = completeBlocksOf(rest + piece);
        found.push(...taken.blocks);
        rest = taken.rest;
      }
      return [...found, ...blocksOf(rest)].join('|') === blocksOf(parts.join('')).join('|');
    }),
    { numRuns: 2_000 },
  );
});

const heading = '| a | b |\n|---|---|';
const table = (rows: number, row = (n: number) => `| ${n} | x |`) =>
  [heading, ...Array.from({ length: rows }, (_, n) => row(n))].join('\n');

t.test('a long table is several blocks, each with the heading', async (t) => {
  const parts = blocksOf(`One\n\n${table(250)}\n\nTwo`);
  t.same(
    parts.map((one) => one.split('\n').length),
    [1, 103, 103, 53, 2],
  );
  t.equal(parts[1], `\n${table(100)}`);
  for (const one of parts.slice(1, 4)) t.ok(one.startsWith(`\n${heading}\n| `));
  t.equal(blocksOf(table(20, () => `| ${'x'.repeat(2_000)} | y |`)).length, 5, 'by length too');
  t.equal(blocksOf(table(250).replace('a', 'a'.repeat(2_000))).length, 1, 'a long heading is not repeated');
  t.same(blocksOf(table(0)), [heading]);
});

t.test('a part of a table is complete once the next begins', async (t) => {
  t.same(completeBlocksOf(`${table(100)}\n`).blocks, []);
  const { blocks, rest } = completeBlocksOf(`${table(101)}\n`);
  t.same([blocks, rest], [[table(100)], `\n${heading}\n| 100 | x |\n`]);
});

t.test('pieces of a long table give the same blocks as the whole', async (t) => {
  const text = `One\n\n${table(320, (n) => `| ${n} | ${'word '.repeat(n % 40)} |`)}\n# Two\n\n- three\n`;
  const found: string[] = [];
  let rest = '';
  for (let at = 0; at < text.length; at += 37) {
    const taken = completeBlocksOf(rest + text.slice(at, at + 37));
    found.push(...taken.blocks);
    rest = taken.rest;
  }
  t.same([...found, ...blocksOf(rest)], blocksOf(text));
});
