import { type Piece, Pieces } from './pieces.js';

/** So much of a message is searched, in UTF-16 units. */
const max_text = 65_536;
/** The size of a message's row in the index; PostgreSQL takes less than 1 MiB. */
const max_terms = 16_384;
const max_bytes = 800_000;
/** The bytes that a term needs besides its letters, at most. */
const spare_bytes = 24;
/** So much of a word is in the index; the rest is compared in the text itself. */
const longest = 24;

/** The pieces of a message's text, as far as it is searched. */
export function piecesOf(content: string): Piece[] {
  return new Pieces(content.slice(0, max_text)).all();
}

/** Under what a message is found: its words, and each sign with the one that follows. `times` as often as once. */
export function termsOf(content: string, times: number): string[] {
  const terms = new Set<string>();
  const pieces = piecesOf(content);
  let bytes = 0;
  for (let index = 0; index < pieces.length; index += 1) {
    const term = termAt(pieces, index);
    if (terms.has(term)) continue;
    bytes += (term.length * 3 + spare_bytes) * times;
    if (terms.size >= max_terms || bytes > max_bytes) break;
    terms.add(term);
  }
  return [...terms];
}

function termAt(pieces: readonly Piece[], index: number): string {
  const { text, sign } = pieces[index] as Piece;
  const next = pieces[index + 1];
  return sign && next?.joined ? pairTerm(text, next.text) : termOf(text);
}

/** A word or a sign, as the index has it. */
export function termOf(text: string): string {
  return text.length <= longest ? text : text.slice(0, longest).toWellFormed();
}

/** Two signs that follow each other, as the index has them. */
export function pairTerm(one: string, next: string): string {
  return termOf(one) + termOf(next);
}
