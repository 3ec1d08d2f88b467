import { partialMarkLength } from './partial-mark.js';

/** Marks between which models write their reasoning at the start of a text. */
const marks: readonly (readonly [string, string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<reasoning>', '</reasoning>'],
  ['[THINK]', '[/THINK]'],
  ['<thoughts>', '</thoughts>'],
  ['<seed:think>', '</seed:think>'],
  ['<mm:think>', '</mm:think>'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
  ['<unused94>thought', '<unused95>'],
  ['<|channel>thought', '<channel|>'],
  ['◁think▷', '◁/think▷'],
];
/** Ends reasoning whose opening mark stood in the prompt, as some chat templates have it; not a quotation of the mark. */
const unopened = /(?<![`'"])<\/think>/;
const longest = Math.max(...marks.map(([open]) => open.length));

/** Whether a text ends reasoning that it does not open. */
function isUnopened(text: string): boolean {
  const end = text.search(unopened);
  return end >= 0 && !text.slice(0, end).includes('<think>');
}

export interface Split {
  reasoning: string;
  text: string;
}

/** Characters before a piece that may belong to an end mark in it. */
const tail_length = 9;

/**
 * Parts the reasoning at the start of an answer from its text, in pieces of any size. Only what an answer begins with is looked at:
 * the same words later are text. An end mark without an opening one counts only if it comes with the first piece, as in a whole answer,
 * or if answers are known to begin with reasoning (`is_open`). If such an answer has no end mark, it is given as text at its end.
 */
export class ThinkingSplitter {
  readonly #isOpen: boolean;
  /** The text of an answer that is taken for reasoning without an opening mark. */
  #assumed: string | undefined;
  /** The end of the text so far; undefined once a mark in it would be a quotation. */
  #tail: string | undefined = '';
  #endsUnopened = false;
  #state: 'start' | 'thinking' | 'gap' | 'text' = 'start';
  /** The start of a text that may still become a mark, or white space before the text. */
  #held = '';
  #close = '';

  constructor({ is_open }: { is_open: boolean }) {
    this.#isOpen = is_open;
  }

  /** Whether an end mark came in the text without an opening one: the next answers begin with reasoning. */
  get endsUnopened(): boolean {
    return this.#endsUnopened;
  }

  add(piece: string): Split {
    // Nearly all pieces of nearly all answers.
    if (this.#state === 'text') {
      this.#look(piece);
      return { reasoning: '', text: piece };
    }
    this.#held += piece;
    if (this.#assumed !== undefined) this.#assumed += piece;
    if (this.#state === 'start') this.#begin();
    if (this.#state === 'start') return { reasoning: '', text: '' };
    return this.#state === 'thinking' ? this.#think() : this.#rest('');
  }

  /** Returns the text that was held back, at the end of an answer. */
  end({ is_cut }: { is_cut: boolean }): Split {
    const held = this.#held;
    this.#held = '';
    if (this.#state === 'thinking') return { reasoning: held, text: is_cut ? '' : (this.#assumed ?? '') };
    return { reasoning: '', text: this.#state === 'start' ? held : '' };
  }

  #begin(): void {
    const begun = this.#held.trimStart();
    const mark = marks.find(([open]) => begun.startsWith(open));
    if (mark) {
      this.#state = 'thinking';
      this.#held = begun.slice(mark[0].length);
      this.#close = mark[1];
      this.#tail = undefined;
    } else if (isUnopened(begun)) {
      this.#state = 'thinking';
      this.#close = '</think>';
      this.#endsUnopened = true;
    } else if (begun.length >= longest || !marks.some(([open]) => open.startsWith(begun))) this.#beginUnmarked();
  }

  #beginUnmarked(): void {
    this.#state = this.#isOpen ? 'thinking' : 'text';
    if (this.#isOpen) {
      this.#close = '</think>';
      this.#assumed = this.#held;
    } else this.#look(this.#held);
  }

  #look(piece: string): void {
    if (this.#tail === undefined) return;
    const seen = this.#tail + piece;
    // Code, or a text about the marks, quotes them.
    const isQuoted = seen.includes('```') || seen.includes('<think>');
    this.#endsUnopened = !isQuoted && unopened.test(seen);
    this.#tail = isQuoted || this.#endsUnopened ? undefined : seen.slice(-tail_length);
  }

  #think(): Split {
    const at = this.#held.indexOf(this.#close);
    if (at >= 0) {
      const reasoning = this.#held.slice(0, at);
      this.#held = this.#held.slice(at + this.#close.length);
      this.#state = 'gap';
      this.#tail = undefined;
      this.#assumed = undefined;
      return this.#rest(reasoning);
    }
    const kept = partialMarkLength(this.#held, this.#close);
    const reasoning = this.#held.slice(0, this.#held.length - kept);
    this.#held = this.#held.slice(this.#held.length - kept);
    return { reasoning, text: '' };
  }

  /** The text, without the blank lines between it and the reasoning. */
  #rest(reasoning: string): Split {
    const text = this.#state === 'gap' ? this.#held.trimStart() : this.#held;
    this.#held = '';
    if (text !== '') this.#state = 'text';
    return { reasoning, text };
  }
}
