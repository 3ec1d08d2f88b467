import t from 'tap';
import { importWeb } from '../../helpers/web.js';

interface Blocks {
  blocksOf: (text: string) => string[];
}

const { blocksOf } = await importWeb<Blocks>('kit/markdown/blocks.ts');

t.test('text is split where a paragraph or a heading follows an empty line', async (t) => {
  t.strictSame(blocksOf('One\nline\n\nTwo\n\n## Three\ntext'), ['One\nline\n', 'Two\n', '## Three\ntext']);
  t.strictSame(blocksOf('第一段\n\n第二段'), ['第一段\n', '第二段']);
});

t.test('what goes on after an empty line stays whole', async (t) => {
  const wholes = [
    '```js\na\n\nb\n```',
    '~~~~\n```\n\nstill code\n~~~~',
    '1. one\n\n2. two\n\n   more of two',
    '- one\n\n- two',
    'text\n\n    code',
    '> quoted\n\n> again',
    'See [it][1]\n\nThen\n\n[1]: https://example.org',
  ];
  for (const whole of wholes) t.strictSame(blocksOf(whole), [whole], whole);
});

t.test('a block does not change any more once another has begun', async (t) => {
  const text = 'First *one*\n\n- a\n\n- b\n\nThen `code`\n\n```\nx\n\ny\n```\n\nEnd';
  const finished: string[] = [];
  for (let length = 1; length <= text.length; length += 1) {
    const blocks = blocksOf(text.slice(0, length)).slice(0, -1);
    t.strictSame(blocks.slice(0, finished.length), finished, `after ${length} letters`);
    finished.splice(0, finished.length, ...blocks);
  }
  t.equal(blocksOf(text).join('\n'), text, 'nothing is lost');
});
