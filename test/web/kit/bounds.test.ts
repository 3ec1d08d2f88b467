import t from 'tap';
import { importWeb } from '../../helpers/web.js';

interface Bounds {
  isModest: (text: string) => boolean;
  remarkBounds: () => (tree: object) => void;
}

const { isModest, remarkBounds } = await importWeb<Bounds>('kit/markdown/bounds.ts');

t.test('texts that people and models write are parsed', async (t) => {
  const modest = [
    '> > > a reply to a reply to a reply',
    `${'-'.repeat(300)}\n`,
    '    '.repeat(40),
    `${'| a | b |\n'.repeat(1_500)}`,
    Array.from({ length: 20 }, (_, depth) => `${'  '.repeat(depth)}- point`).join('\n'),
    'The `value` of *each* [entry](https://example.org/) is **known**. '.repeat(300),
  ];
  for (const text of modest) t.ok(isModest(text), text.slice(0, 40));
});

t.test('texts that would hold a page are not', async (t) => {
  const others = ['>'.repeat(60), '- '.repeat(60), '1) '.repeat(60), '['.repeat(7_000), '*a '.repeat(7_000), 'x'.repeat(100_001)];
  for (const text of others) t.notOk(isModest(text), text.slice(0, 40));
});

t.test('a tree is refused that is too deep or has too many nodes, even one deeper than the stack', async (t) => {
  const deep = (levels: number) => {
    let tree: object = {};
    for (let level = 0; level < levels; level += 1) tree = { children: [tree] };
    return tree;
  };
  const check = remarkBounds();
  t.doesNotThrow(() => check(deep(50)));
  t.throws(() => check(deep(61)));
  t.throws(() => check(deep(200_000)));
  t.throws(() => check({ children: Array.from({ length: 12_001 }, () => ({})) }));
});
