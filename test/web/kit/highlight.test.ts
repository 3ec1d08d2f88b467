import t from 'tap';
import { importWeb } from '../../helpers/web.js';

type Token = string | { className: string; children: readonly Token[] };

const { highlight } = await importWeb<{ highlight: (text: string, language: string) => readonly Token[] | undefined }>(
  'kit/markdown/highlight.ts',
);

const textOf = (tokens: readonly Token[] = []): string =>
  tokens.map((token) => (typeof token === 'string' ? token : textOf(token.children))).join('');

t.test('code is coloured, and nothing of it is lost', async (t) => {
  const code = "const name = 'Ada';\n\n".repeat(500);
  const tokens = highlight(code, 'TypeScript');
  t.equal(textOf(tokens), code);
  t.match(tokens?.[0], { className: 'hljs-keyword', children: ['const'] });
});

t.test('a line that would take long stays plain, as does an unknown language', async (t) => {
  const line = '$'.repeat(3_000);
  t.strictSame(highlight(line, 'java'), [line]);
  for (const language of ['klingon', 'constructor', '__proto__']) t.equal(highlight('x', language), undefined, language);
});
