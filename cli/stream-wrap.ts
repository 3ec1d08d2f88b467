import { width } from './table.js';

/**
 * Wraps a streamed text between words, so that a terminal doesn't break them. Buffers the last word until its end is known. Fenced
 * code stays as it is, so that it can be copied.
 */
export class StreamWrap {
  readonly #columns: number;
  #column = 0;
  #blank = '';
  #word = '';
  #line = '';
  #isCode = false;

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** Adds a chunk; returns the text that can be written now. */
  take(piece: string): string {
    let out = '';
    for (const part of piece.split(/(\n|[ \t]+)/)) {
      if (part === '') continue;
      if (!/^[\n \t]/.test(part)) this.#word += part;
      else {
        out += this.#endWord();
        if (part === '\n') out += this.#endLine();
        else this.#blank += part;
      }
    }
    return out;
  }

  /** Returns the buffered rest. */
  end(): string {
    return this.#endWord();
  }

  #endWord(): string {
    const [blank, word] = [this.#blank, this.#word];
    if (word === '') return '';
    this.#blank = '';
    this.#word = '';
    this.#line = `${this.#line}${blank}${word}`.slice(0, 80);
    const fits = this.#column + width(blank) + width(word) <= this.#columns;
    if (fits || this.#column === 0 || this.#isCode) {
      this.#column += width(blank) + width(word);
      return blank + word;
    }
    this.#column = width(word);
    return `\n${word}`;
  }

  #endLine(): string {
    if (/^\s*(```|~~~)/.test(this.#line)) this.#isCode = !this.#isCode;
    const blank = this.#blank;
    this.#column = 0;
    this.#blank = '';
    this.#line = '';
    return `${blank}\n`;
  }
}
