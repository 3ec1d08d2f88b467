/** Marks between which models write their reasoning at the start of a text. */
const marks: readonly (readonly [string, string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<reasoning>', '</reasoning>'],
  ['[THINK]', '[/THINK]'],
];
const longest = Math.max(...marks.map(([open]) => open.length));

export interface Split {
  reasoning: string;
  text: string;
}

/**
 * Parts the reasoning at the start of an answer from its text, in pieces of any size. Only what an answer begins with is looked at:
 * the same words later are text.
 */
export class ThinkingSplitter {
  #state: 'start' | 'thinking' | 'gap' | 'text' = 'start';
  /** The start of a text that may still become a mark, or white space before the text. */
  #held = '';
  #close = '';

  add(piece: string): Split {
    // Nearly all pieces of nearly all answers.
    if (this.#state === 'text') return { reasoning: '', text: piece };
    this.#held += piece;
    if (this.#state === 'start') this.#begin();
    if (this.#state === 'start') return { reasoning: '', text: '' };
    return this.#state === 'thinking' ? this.#think() : this.#rest('');
  }

  /** Returns the text that was held back, at the end of an answer. */
  end(): Split {
    const held = this.#held;
    this.#held = '';
    if (this.#state === 'thinking') return { reasoning: held, text: '' };
    return { reasoning: '', text: this.#state === 'start' ? held : '' };
  }

  #begin(): void {
    const begun = this.#held.trimStart();
    const mark = marks.find(([open]) => begun.startsWith(open));
    if (mark) {
      this.#state = 'thinking';
      this.#held = begun.slice(mark[0].length);
      this.#close = mark[1];
    } else if (begun.length >= longest || !marks.some(([open]) => open.startsWith(begun))) this.#state = 'text';
  }

  #think(): Split {
    const at = this.#held.indexOf(this.#close);
    if (at >= 0) {
      const reasoning = this.#held.slice(0, at);
      this.#held = this.#held.slice(at + this.#close.length);
      this.#state = 'gap';
      return this.#rest(reasoning);
    }
    const kept = partOf(this.#held, this.#close);
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

/** How many of the last characters may be the start of a mark. */
function partOf(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
