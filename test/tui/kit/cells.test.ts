import t from 'tap';
import { widthOf, wrapped } from '../../../tui/kit/cells.js';

t.test('a line takes as many lines as it needs, and loses nothing', async (t) => {
  t.same(wrapped('abcdef', 4), ['abcd', 'ef']);
  t.same(wrapped('日本語', 4), ['日本', '語']);
  t.same(wrapped('', 4), ['']);
  const families = '👨‍👩‍👧a'.repeat(700);
  const lines = wrapped(families, 80);
  t.equal(lines.join(''), families);
  t.ok(lines.every((line) => widthOf(line) <= 80 && !line.startsWith('\u200D')));
});

t.test('of a line of a million characters the beginning is shown', async (t) => {
  for (const character of ['a', 'é']) {
    const lines = wrapped(character.repeat(1_000_000), 80);
    t.equal(lines.length, 251);
    t.match(lines.at(-1), /^…$/);
  }
});
