import { type Piece, Pieces } from './pieces.js';

/** Length of the indexed part of a message, in UTF-16 units. */
const max_text = 65_536;
/** Limit of terms per message: PostgreSQL accepts less than 1 MiB per row. */
const max_terms = 16_384;
const max_bytes = 800_000;
/** Upper limit of a term's bytes beyond its letters. */
const overhead_bytes = 24;
/** Length of the indexed part of a word; the rest is compared in the text. */
const max_term_length = 24;

/** Returns the units of the indexed part of a message. */
export function piecesOf(content: string): Piece[] {
  return new Pieces(content.slice(0, max_text)).all();
}

/** Returns the terms of a message: its words, and each sign with its successor. `times` is the number of copies that a row stores. */
export function termsOf(content: string, times: number): string[] {
  const terms = new Set<string>();
  const pieces = piecesOf(content);
  let bytes = 0;
  for (let index = 0; index < pieces.length; index += 1) {
    const term = termAt(pieces, index);
    if (terms.has(term)) continue;
    bytes += (term.length * 3 + overhead_bytes) * times;
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

/** Returns the index form of a word or sign. */
export function termOf(text: string): string {
  return text.length <= max_term_length ? text : text.slice(0, max_term_length).toWellFormed();
}

/** Returns the index form of two adjacent signs. */
export function pairTerm(one: string, next: string): string {
  return termOf(one) + termOf(next);
}
