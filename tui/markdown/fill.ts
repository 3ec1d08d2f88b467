import { charactersOf, widthOf } from '../kit/cells.js';

/** A text and the codes of its style (`1;3`); none without colours. */
export interface Run {
  text: string;
  codes: string;
}

export interface Line {
  text: string;
  width: number;
}

export interface FillOptions {
  width: number;
  /** Whether a word that is longer than a line is broken. */
  breaksWords: boolean;
}

// Chinese and Japanese have no blanks: a line may end after each character, unless a closing mark follows.
const wide = '(?![\\uFF61-\\uFF9F])[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]';
const piece = new RegExp(`\\n|[ \\t]+|${wide}|(?:(?!${wide})[^\\n \\t])+`, 'gu');
const isWide = new RegExp(`^${wide}`, 'u');
const isClosing = /^[、。，．！？：；」』）】》〉ー…,.!?:;)\]}]/u;

/** Wraps styled text between words. */
export function fill(runs: readonly Run[], options: FillOptions): Line[] {
  const filling = new Filling(options);
  for (const { text, codes } of runs) for (const [found] of text.matchAll(piece)) filling.take(found, codes);
  return filling.end();
}

/** Returns a text in its style. */
export function paint(text: string, codes: string): string {
  return codes === '' || text === '' ? text : `\u001B[${codes}m${text}\u001B[0m`;
}

// The letters of most texts. Measuring others takes 10 µs a character.
const narrow = /^[\x20-\x7E\u00A1-\u00AC\u00AE-\u02FF\u0370-\u0377\u0391-\u03A1\u03A3-\u0482\u048A-\u052F]*$/;
const broad = /^[\u3041-\u3096\u30A1-\u30FA\u4E00-\u9FFF\uAC00-\uD7A3]*$/;

/** Limit of a word that is measured; longer ones are no words, and count two columns a character. */
const max_measured = 1_000;

function widthOfWord(text: string): number {
  if (narrow.test(text)) return text.length;
  return broad.test(text) || text.length > max_measured ? text.length * 2 : widthOf(text);
}

/** Returns the parts between which a word may be broken. */
function partsOf(text: string): Iterable<string> {
  return narrow.test(text) || broad.test(text) || text.length > max_measured ? text : charactersOf(text);
}

class Filling {
  readonly #options: FillOptions;
  readonly #lines: Line[] = [];
  #line: Run[] = [];
  #width = 0;
  #word: Run[] = [];
  #isBlank = false;
  #isAfterWide = false;

  constructor(options: FillOptions) {
    this.#options = options;
  }

  take(text: string, codes: string): void {
    if (text === '\n') {
      this.#endWord();
      this.#endLine();
    } else if (/^[ \t]/.test(text)) {
      this.#endWord();
      this.#isBlank = true;
    } else {
      const breaks = isWide.test(text) || this.#isAfterWide;
      if (breaks && !isClosing.test(text)) this.#endWord();
      this.#word.push({ text, codes });
      this.#isAfterWide = isWide.test(text);
    }
  }

  end(): Line[] {
    this.#endWord();
    if (this.#line.length > 0 || this.#lines.length === 0) this.#endLine();
    return this.#lines;
  }

  #endWord(): void {
    const [word, max] = [this.#word, this.#options.width];
    if (word.length === 0) return;
    this.#word = [];
    this.#isAfterWide = false;
    const width = word.reduce((sum, { text }) => sum + widthOfWord(text), 0);
    const blank = this.#isBlank && this.#width > 0 ? 1 : 0;
    this.#isBlank = false;
    if (this.#width > 0 && this.#width + blank + width > max) this.#endLine();
    else if (blank > 0) this.#add({ text: ' ', codes: this.#line.at(-1)?.codes === word[0]?.codes ? (word[0]?.codes ?? '') : '' }, 1);
    if (width > max && this.#options.breaksWords) this.#addBroken(word);
    else for (const run of word) this.#add(run, widthOfWord(run.text));
  }

  #addBroken(word: readonly Run[]): void {
    for (const { text, codes } of word) {
      const isMeasured = text.length <= max_measured;
      for (const part of partsOf(text)) {
        const width = isMeasured || narrow.test(part) ? widthOfWord(part) : 2;
        if (this.#width > 0 && this.#width + width > this.#options.width) this.#endLine();
        this.#add({ text: part, codes }, width);
      }
    }
  }

  #add({ text, codes }: Run, width: number): void {
    const last = this.#line.at(-1);
    if (last?.codes === codes) last.text += text;
    else this.#line.push({ text, codes });
    this.#width += width;
  }

  #endLine(): void {
    this.#lines.push({ text: this.#line.map(({ text, codes }) => paint(text, codes)).join(''), width: this.#width });
    this.#line = [];
    this.#width = 0;
    this.#isBlank = false;
  }
}
