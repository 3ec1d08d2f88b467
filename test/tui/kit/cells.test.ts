import t from 'tap';
import { widthOf, wrapped } from '../../../tui/kit/cells.js';

t.test('a line is wrapped completely', async (t) => {
  t.same(wrapped('abcdef', 4), ['abcd', 'ef']);
  t.same(wrapped('日本語', 4), ['日本', '語']);
  t.same(wrapped('', 4), ['']);
  const families = '👨‍👩‍👧a'.repeat(700);
  const lines = wrapped(families, 80);
  t.equal(lines.join(''), families);
  t.ok(lines.every((line) => widthOf(line) <= 80 && !line.startsWith('\u200D')));
});

t.test('a line breaks between words, and only within a word longer than a line', async (t) => {
  t.same(wrapped('agents.model lists those', 14), ['agents.model', 'lists those']);
  t.same(wrapped('one two three', 7), ['one two', 'three'], 'a space after the last column starts no line');
  t.same(wrapped('  - one two', 8), ['  - one', 'two'], 'an indent is kept');
  t.same(wrapped('a https://host/path b', 8), ['a', 'https://', 'host/pat', 'h b']);
  t.same(wrapped('日本 語で', 5), ['日本', '語で'], 'wide characters count as two');
  t.same(wrapped('a\nbc de', 4), ['a', 'bc', 'de']);
});

t.test('a line of a million characters shows its beginning', async (t) => {
  for (const character of ['a', 'é']) {
    const lines = wrapped(character.repeat(1_000_000), 80);
    t.equal(lines.length, 251);
    t.match(lines.at(-1), /^…$/);
  }
});
