import t from 'tap';
import { Pages } from '../../../../kernel/platform/documents/pages.js';

function made() {
  const written: string[] = [];
  return { pages: new Pages((page) => written.push(page)), written };
}

t.test('pages end between lines, and a line longer than a page ends at a word', async (t) => {
  const { pages, written } = made();
  pages.add('a'.repeat(1_000));
  pages.add('b'.repeat(1_900));
  pages.add('c'.repeat(300));
  pages.add('word '.repeat(1_000));
  pages.flush();
  t.ok(written.every((page) => page.length <= 3_000));
  t.ok(written.slice(2).every((page) => page.split(/\s+/).every((word) => word === 'word')));
  t.equal(written.join('\n').replaceAll(/\s/g, '').length, 3_200 + 4_000);
});

t.test('a character of two halves is never cut', async (t) => {
  const { pages, written } = made();
  pages.add(`a${'😀'.repeat(3_000)}`);
  pages.flush();
  t.ok(written.every((page) => page.isWellFormed()));
  t.equal(written.join(''), `a${'😀'.repeat(3_000)}`);
});

t.test('a heading below the middle of a page begins the next one', async (t) => {
  const { pages, written } = made();
  pages.addHeading('One');
  pages.add('x'.repeat(1_600));
  pages.addHeading('Two', '## Two');
  pages.add('text');
  pages.flush();
  t.same(written, [`One\n${'x'.repeat(1_600)}`, '## Two\ntext']);
  t.same(pages.outline, [
    { title: 'One', page: 1 },
    { title: 'Two', page: 2 },
  ]);
});

t.test('after 20,000 pages no more is taken, and no heading names a page that was not written', async (t) => {
  const { pages, written } = made();
  pages.addOutlineEntry('Early', 20_000);
  pages.addOutlineEntry('Late', 20_001);
  for (let number = 0; number < 20_000; number += 1) pages.addPage('x');
  t.throws(() => pages.addPage('y'), { message: 'No more text is taken' });
  t.equal(written.length, 20_000);
  t.same(pages.outline, [{ title: 'Early', page: 20_000 }]);
});
