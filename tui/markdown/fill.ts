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
const wide = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]';
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
    const width = word.reduce((sum, { text }) => sum + widthOf(text), 0);
    const blank = this.#isBlank && this.#width > 0 ? 1 : 0;
    this.#isBlank = false;
    if (this.#width > 0 && this.#width + blank + width > max) this.#endLine();
    else if (blank > 0) this.#add({ text: ' ', codes: this.#line.at(-1)?.codes === word[0]?.codes ? (word[0]?.codes ?? '') : '' }, 1);
    if (width > max && this.#options.breaksWords) this.#addBroken(word);
    else for (const run of word) this.#add(run, widthOf(run.text));
  }

  #addBroken(word: readonly Run[]): void {
    for (const { text, codes } of word)
      for (const character of charactersOf(text)) {
        const width = widthOf(character);
        if (this.#width > 0 && this.#width + width > this.#options.width) this.#endLine();
        this.#add({ text: character, codes }, width);
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
