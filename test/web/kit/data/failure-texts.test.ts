import { readFile } from 'node:fs/promises';
import t from 'tap';
import { importWeb } from '../../../helpers/web.js';

interface Titles {
  titles: Readonly<Record<string, string>>;
}

t.test('every failure code has a headline in each language, and no headline has lost its code', async (t) => {
  const reference = await readFile('docs/reference/failures.md', 'utf8');
  const codes = [...reference.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code as string);
  t.ok(codes.length > 200, `${codes.length} codes are documented`);
  for (const language of ['en', 'zh']) {
    const { titles } = await importWeb<Titles>(`kit/data/failure-texts/${language}.ts`);
    t.strictSame(Object.keys(titles).sort(), [...codes].sort(), language);
    t.notOk(
      Object.values(titles).find((title) => title.trim() === '' || title.endsWith('.') || title.endsWith('。')),
      `${language}: headlines are short and without a full stop`,
    );
  }
});
