import t from 'tap';
import { type InkKey, KeyReader } from '../../tui/key-reader.js';
import { typed } from '../../tui/kit/typed.js';

const none = Object.fromEntries(
  'upArrow downArrow leftArrow rightArrow pageUp pageDown home end return escape tab shift ctrl meta backspace delete'
    .split(' ')
    .map((name) => [name, false]),
) as unknown as InkKey;

/** Returns the keys of pieces of input, as ink gives them. */
function keysOf(...pieces: readonly (string | [string, Partial<InkKey>])[]): string[] {
  const reader = new KeyReader();
  return pieces.flatMap((piece) =>
    typeof piece === 'string' ? reader.read(piece, none) : reader.read(piece[0], { ...none, ...piece[1] }),
  );
}

t.test('fast typing is keys, and a bracketed paste is one key', async (t) => {
  t.same(keysOf('ab\rc'), ['a', 'b', 'enter', 'c']);
  t.same(keysOf('[200~', 'q\r\nx', ['', { return: true }], 'y', ['', { tab: true }], '[201~', 'q'), ['paste:q\nx\ny\t', 'q']);
  t.same(keysOf('[200~', '[201~', 'q'), ['q'], 'an empty paste is not a key');
});

t.test('ctrl-c quits even if the end of a paste is lost, and a paste is limited', async (t) => {
  t.same(keysOf('[200~', 'x', ['c', { ctrl: true }], 'q'), ['paste:x', 'ctrl-c', 'q']);
  const [key] = keysOf('[200~', 'x'.repeat(1_500_000), 'y', '[201~');
  t.equal(key?.length, 'paste:'.length + 1_000_000);
});

t.test('a paste becomes one line in a single-line field', async (t) => {
  t.equal(typed('a', 'paste:b\nc\n'), 'ab c');
});
