import t from 'tap';
import { importWeb } from '../../helpers/web.js';

interface Hidden {
  revealed: (text: string) => string;
  withoutSequences: (text: string) => string;
}

const { revealed, withoutSequences } = await importWeb<Hidden>('kit/components/hidden-characters.ts');

t.test('characters that nobody sees stand in words', async (t) => {
  t.equal(
    revealed('a\u202eb\u2066c\u200bd\ufeffe\u{e0041}f\u0000g\u001b'),
    'a[U+202E]b[U+2066]c[U+200B]d[U+FEFF]e[U+E0041]f[U+0000]g[U+001B]',
  );
});

t.test('what people write stays', async (t) => {
  for (const text of ['tab\tand\r\nline', 'سلام', 'می\u200cخواهم', '👩\u200d💻', '你好']) t.equal(revealed(text), text);
});

t.test('sequences for terminals go, with the strings that they carry', async (t) => {
  t.equal(
    withoutSequences(
      '\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\ \u001bPq~\u001b\\\u001b(Bend',
    ),
    'red link end',
  );
});

t.test('a string without an end takes nothing with it', async (t) => {
  t.equal(withoutSequences(`\u001b]0;${'a'.repeat(50)}`), `0;${'a'.repeat(50)}`);
});
