import { partialMarkLength } from './partial-mark.js';

/** Marks around the reasoning at the start of a text. */
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
/** Matches an end mark whose opening mark was in the prompt, as in some chat templates; ignores quoted marks. */
const unopened = /(?<![`'"])<\/think>/;
const max_mark_length = Math.max(...marks.map(([open]) => open.length));

/** Returns whether a text ends reasoning that it does not open. */
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
 * Separates the reasoning at the start of an answer from its text, in pieces of any size. Only the start counts: the
 * same marks later are text. An end mark without an opening one counts only if it comes with the first piece, as in an
 * answer in one piece, or if answers are known to begin with reasoning (`is_open`). If such an answer has no end mark,
 * it is returned as text at its end.
 */
export class ThinkingSplitter {
  readonly #isOpen: boolean;
  /** Text treated as reasoning without an opening mark. */
  #unmarked_reasoning: string | undefined;
  /** End of the text so far; undefined once a mark in it would be a quotation. */
  #tail: string | undefined = '';
  #endsUnopened = false;
  #state: 'start' | 'thinking' | 'gap' | 'text' = 'start';
  /** Buffered start of a text that may become a mark, or white space before the text. */
  #buffer = '';
  #close = '';

  constructor({ is_open }: { is_open: boolean }) {
    this.#isOpen = is_open;
  }

  /** Whether an end mark came without an opening one: later answers begin with reasoning. */
  get endsUnopened(): boolean {
    return this.#endsUnopened;
  }

  add(piece: string): Split {
    // The path of nearly all pieces of nearly all answers.
    if (this.#state === 'text') {
      this.#watchForEndMark(piece);
      return { reasoning: '', text: piece };
    }
    this.#buffer += piece;
    if (this.#unmarked_reasoning !== undefined) this.#unmarked_reasoning += piece;
    if (this.#state === 'start') this.#detect();
    if (this.#state === 'start') return { reasoning: '', text: '' };
    return this.#state === 'thinking' ? this.#readReasoning() : this.#rest('');
  }

  /** Returns the buffered text at the end of an answer. */
  end({ is_cut }: { is_cut: boolean }): Split {
    const buffered = this.#buffer;
    this.#buffer = '';
    if (this.#state === 'thinking') return { reasoning: buffered, text: is_cut ? '' : (this.#unmarked_reasoning ?? '') };
    return { reasoning: '', text: this.#state === 'start' ? buffered : '' };
  }

  #detect(): void {
    const begun = this.#buffer.trimStart();
    const mark = marks.find(([open]) => begun.startsWith(open));
    if (mark) {
      this.#state = 'thinking';
      this.#buffer = begun.slice(mark[0].length);
      this.#close = mark[1];
      this.#tail = undefined;
    } else if (isUnopened(begun)) {
      this.#state = 'thinking';
      this.#close = '</think>';
      this.#endsUnopened = true;
    } else if (begun.length >= max_mark_length || !marks.some(([open]) => open.startsWith(begun))) this.#beginUnmarked();
  }

  #beginUnmarked(): void {
    this.#state = this.#isOpen ? 'thinking' : 'text';
    if (this.#isOpen) {
      this.#close = '</think>';
      this.#unmarked_reasoning = this.#buffer;
    } else this.#watchForEndMark(this.#buffer);
  }

  #watchForEndMark(piece: string): void {
    if (this.#tail === undefined) return;
    const seen = this.#tail + piece;
    // Code, or a text about the marks, quotes them.
    const isQuoted = seen.includes('```') || seen.includes('<think>');
    this.#endsUnopened = !isQuoted && unopened.test(seen);
    this.#tail = isQuoted || this.#endsUnopened ? undefined : seen.slice(-tail_length);
  }

  #readReasoning(): Split {
    const at = this.#buffer.indexOf(this.#close);
    if (at >= 0) {
      const reasoning = this.#buffer.slice(0, at);
      this.#buffer = this.#buffer.slice(at + this.#close.length);
      this.#state = 'gap';
      this.#tail = undefined;
      this.#unmarked_reasoning = undefined;
      return this.#rest(reasoning);
    }
    const partial = partialMarkLength(this.#buffer, this.#close);
    const reasoning = this.#buffer.slice(0, this.#buffer.length - partial);
    this.#buffer = this.#buffer.slice(this.#buffer.length - partial);
    return { reasoning, text: '' };
  }

  /** Returns the text without the blank lines after the reasoning. */
  #rest(reasoning: string): Split {
    const text = this.#state === 'gap' ? this.#buffer.trimStart() : this.#buffer;
    this.#buffer = '';
    if (text !== '') this.#state = 'text';
    return { reasoning, text };
  }
}
