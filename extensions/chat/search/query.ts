import { type Piece, Pieces } from './pieces.js';
import { pairTerm, termOf } from './terms.js';

/** A part of a text, in UTF-16 units. */
export interface Range {
  start: number;
  end: number;
}

/** Terms that a message must have in the index, all of them. */
export interface QueryTerms {
  exact: string[];
  /** Prefixes of terms. */
  prefixes: string[];
}

/** Limits of terms and prefixes that are looked up in the index. The others are checked in the text alone. */
const max_terms = 12;
const max_prefixes = 4;

/** A search as a member typed it: words in any order, the last of which may be unfinished, and runs of adjacent signs. */
export class SearchQuery {
  readonly #words = new Set<string>();
  readonly #prefix: string | undefined;
  /** Runs of signs, which a text must have without anything in between. */
  readonly #runs: string[][] = [];

  constructor(text: string) {
    const pieces = new Pieces(text).all();
    const last = pieces.at(-1);
    for (const piece of pieces) this.#take(piece, piece === last);
    if (last && !last.sign) this.#prefix = last.text;
  }

  /** Whether the query has nothing to search for, such as punctuation only. */
  get empty(): boolean {
    return this.#words.size === 0 && this.#runs.length === 0 && this.#prefix === undefined;
  }

  /** Terms to look up in the index. A message with all of them may match; {@link match} decides. */
  get wanted(): QueryTerms {
    const exact = new Set([...this.#words].map(termOf));
    const prefixes = new Set(this.#prefix === undefined ? [] : [termOf(this.#prefix)]);
    for (const run of this.#runs) {
      const [first = ''] = run;
      if (run.length === 1) prefixes.add(termOf(first));
      for (let index = 1; index < run.length; index += 1) exact.add(pairTerm(run[index - 1] ?? '', run[index] ?? ''));
    }
    return { exact: [...exact].slice(0, max_terms), prefixes: [...prefixes].slice(0, max_prefixes) };
  }

  /** Returns the matches in a text, in order; undefined if a part of the query is missing. */
  match(pieces: readonly Piece[]): Range[] | undefined {
    const ranges: Range[] = [];
    const words = new Set<string>();
    const runs = new Set<string[]>();
    let prefixed = this.#prefix === undefined;
    pieces.forEach((piece, index) => {
      if (piece.sign) {
        for (const run of this.#runs) {
          if (run[0] !== piece.text || !hasRun(pieces, index, run)) continue;
          runs.add(run);
          ranges.push({ start: piece.start, end: (pieces[index + run.length - 1] as Piece).end });
        }
        return;
      }
      const whole = this.#words.has(piece.text);
      const begun = this.#prefix !== undefined && piece.text.startsWith(this.#prefix);
      if (whole) words.add(piece.text);
      if (begun) prefixed = true;
      if (whole || begun) ranges.push({ start: piece.start, end: piece.end });
    });
    return prefixed && words.size === this.#words.size && runs.size === this.#runs.length ? ranges : undefined;
  }

  #take({ text, sign, joined }: Piece, last: boolean): void {
    if (sign && joined) this.#runs.at(-1)?.push(text);
    else if (sign) this.#runs.push([text]);
    else if (!last) this.#words.add(text);
  }
}

function hasRun(pieces: readonly Piece[], start: number, run: readonly string[]): boolean {
  return run.every((text, offset) => {
    const piece = pieces[start + offset];
    return piece?.text === text && (offset === 0 || piece.joined);
  });
}
