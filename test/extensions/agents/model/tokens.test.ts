import t from 'tap';
import { TokenCount, tokensOf } from '../../../../extensions/agents/model/tokens.js';

t.test('token counts are estimated high rather than low', async (t) => {
  t.equal(tokensOf(''), 4);
  t.equal(tokensOf('four'), 5);
  t.equal(tokensOf('漢字'), 6);
  t.equal(tokensOf('x\n\t'.repeat(400_000)), 300_004);
});

t.test('the token count of pieces equals that of the whole text', async (t) => {
  const text = 'A word, 漢字 and a \u{1F600} smile'.repeat(7);
  const count = new TokenCount();
  for (let at = 0; at < text.length; at += 3) count.add(text.slice(at, at + 3));
  t.equal(count.tokens, tokensOf(text));
});
