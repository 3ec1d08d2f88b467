import t from 'tap';
import { bounded, digestOf } from '../../../extensions/notifications/text.js';

t.test('a text is truncated between characters and made storable', async (t) => {
  t.equal(bounded('short', 5), 'short');
  t.equal(bounded('longer', 5), 'long…');
  t.equal(bounded('123😀x', 5), '123…', 'the text is not truncated within a character');
  t.equal(bounded('a\0b\ud800', 10), 'a\ufffdb\ufffd');
});

t.test('a digest distinguishes texts and their boundaries', async (t) => {
  t.equal(digestOf('a', 'b'), digestOf('a', 'b'));
  t.not(digestOf('a', 'b'), digestOf('ab'));
  t.not(digestOf('a', 'b'), digestOf('a', 'b', ''));
  t.match(digestOf('x'), /^[0-9a-f]{32}$/);
});
