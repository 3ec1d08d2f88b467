import t from 'tap';
import { formatForModel } from '../../../../extensions/agents/tools/output.js';
import { pageOf } from '../../../../extensions/chat/files/attachment-page.js';
import type { DocumentText } from '../../../../kernel/contract/index.js';
import { failureOf } from '../world.js';

const document = (change: Partial<DocumentText>): DocumentText => ({ pages: ['One', 'Two'], outline: [], is_cut: false, ...change });
const outline = (count: number, title = 'A heading') =>
  Array.from({ length: count }, (_, at) => ({ title: `${title} ${at}`, page: at + 1 }));

/** Reads all parts of a page as a model gets them. */
function partsOf(text: DocumentText, page: number): string[] {
  const parts: string[] = [];
  for (let part = 1, count = 1; part <= count; part += 1) {
    const answer = pageOf('a'.repeat(200), text, { page, part });
    const output = JSON.stringify(answer);
    t.equal(formatForModel({ output }), output, 'the model gets the whole part');
    count = answer.parts ?? 1;
    parts.push(answer.text);
  }
  return parts;
}

t.test('the first page comes with the outline, others without', async (t) => {
  const text = document({ outline: [{ title: 'Start', page: 1 }] });
  const first = { name: 'a.pdf', pages: 2, page: 1, outline: [{ title: 'Start', page: 1 }], text: 'One' };
  t.same(pageOf('a.pdf', text, { page: 1, part: 1 }), first);
  t.same(pageOf('a.pdf', text, { page: 2, part: 1 }), { name: 'a.pdf', pages: 2, page: 2, text: 'Two' });
  t.same(pageOf('a.pdf', document({ pages: [''] }), { page: 1, part: 1 }), { name: 'a.pdf', pages: 1, page: 1, text: '' });
});

t.test('a long page reaches the model whole, in parts', async (t) => {
  const words = Array.from({ length: 9_000 }, (_, at) => `word${at}`).join(' ');
  for (const page of [words, words.replaceAll(' ', '\n'), '"\\'.repeat(20_000), '漢字'.repeat(10_000), '𝒳'.repeat(9_000)]) {
    const parts = partsOf(document({ pages: ['One', page], outline: outline(900) }), 2);
    t.ok(parts.length > 1);
    t.equal(parts.join(''), page);
    t.ok(parts.every((part) => part.isWellFormed()));
    t.equal(partsOf(document({ pages: [page], outline: outline(900) }), 1).join(''), page, 'with an outline too');
  }
  const parts = partsOf(document({ pages: [words] }), 1);
  t.same(
    parts.slice(0, -1).filter((part) => !part.endsWith(' ')),
    [],
    'no word is cut',
  );
  const { note, part } = pageOf('a.pdf', document({ pages: [words] }), { page: 1, part: 2 });
  t.same([part, note], [2, 'The page goes on: read part 3 of page 1 next.']);
  t.equal(partsOf(document({ pages: ['漢'.repeat(3_000)] }), 1).length, 1, 'a page of usual length is one part');
});

t.test('a long outline is thinned out over the whole document, and says so', async (t) => {
  const answer = pageOf('a.pdf', document({ outline: outline(1_000, '"'.repeat(190)) }), { page: 1, part: 1 });
  const pages = answer.outline?.map(({ page }) => page) ?? [];
  t.ok(pages.length > 5 && (pages.at(-1) as number) > 800, pages.join());
  t.equal(answer.note, `The outline has 1000 headings, of which ${pages.length} are listed.`);
  t.match(pageOf('a.pdf', document({ is_cut: true }), { page: 2, part: 1 }), { note: 'The file has further pages, which are not read.' });
});

t.test('a page or part that is not there is named with how many there are', async (t) => {
  const refusal = async (page: number, part: number, text = document({})) => {
    const asked = (async () => pageOf('a.pdf', text, { page, part }))();
    t.same(await failureOf(asked), { code: 'invalid_input', status: 400 });
    return asked.catch(({ message }: Error) => message);
  };
  t.equal(await refusal(700, 1), 'The file "a.pdf" has 2 pages; there is no page 700');
  t.equal(await refusal(2, 1, document({ pages: ['One'] })), 'The file "a.pdf" has 1 page; there is no page 2');
  t.equal(await refusal(3, 1, document({ is_cut: true })), 'Only the first 2 pages of the file "a.pdf" are read, not page 3');
  t.equal(await refusal(1, 2), 'Page 1 of the file "a.pdf" has 1 part; there is no part 2');
});
