import t from 'tap';
import { GrowingText, type OpenBlock } from '../../../../extensions/chat/web/growing-text.js';

function grown(text: string, step: number): GrowingText {
  const growing = new GrowingText();
  for (let start = 0; start < text.length; start += step) growing.add(text.slice(start, start + step));
  return growing;
}

function textOf(block: OpenBlock): string {
  return block.kind === 'text' ? block.text : block.chunks.join('') + block.text;
}

const text = `# Title

First paragraph
of two lines.

- one

- two
  more of two

After the list.

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`
Below the code.

1. first
   \`\`\`sh
   ls
   \`\`\`
2. second
`;

t.test('blocks are the same however the text arrives, and nothing is lost', async (t) => {
  const whole = grown(text, text.length);
  for (const step of [1, 3, 7, 50]) {
    const pieces = grown(text, step);
    t.same(pieces.blocks, whole.blocks, `in steps of ${step}`);
    t.same(pieces.open, whole.open);
  }
  t.equal(whole.blocks.join('') + textOf(whole.open), text);
});

t.test('a list with empty lines stays one block, and so does code', async (t) => {
  const { blocks } = grown(text, 5);
  t.ok(blocks.some((block) => block.includes('- one') && block.includes('- two') && block.includes('more of two')));
  t.ok(blocks.some((block) => block.startsWith('```ts\n') && block.trimEnd().endsWith('```') && block.includes('const b')));
  t.notOk(blocks.some((block) => block.includes('Below the code') && block.includes('const b')));
});

t.test('open code has its language, and long code comes in pieces that stay', async (t) => {
  const growing = new GrowingText();
  growing.add('Look:\n\n```python\n');
  growing.add('x = 1\n'.repeat(1_000));
  const { open } = growing;
  if (open.kind !== 'code') return t.fail('no code is open');
  t.equal(open.language, 'python');
  t.ok(open.chunks.length >= 2);
  const [first] = open.chunks;
  growing.add('y = 2\n'.repeat(1_000));
  t.equal(growing.open.kind === 'code' && growing.open.chunks[0], first);
  growing.add('```\n');
  t.equal(growing.blocks.at(-1), `\`\`\`python\n${'x = 1\n'.repeat(1_000)}${'y = 2\n'.repeat(1_000)}\`\`\`\n`);
  return t.same(growing.open, { kind: 'text', text: '' });
});

t.test('a shorter fence within code does not end it', async (t) => {
  const { open, blocks } = grown('````md\n```js\n1\n```\n', 4);
  t.equal(open.kind, 'code');
  t.same(blocks, []);
});
