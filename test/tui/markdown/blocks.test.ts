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
