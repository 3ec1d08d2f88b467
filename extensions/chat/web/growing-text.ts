/** A piece of Markdown at the end of a growing text: a paragraph, or code whose fence is still open. */
export type OpenBlock = { kind: 'text'; text: string } | { kind: 'code'; language: string; chunks: readonly string[]; text: string };

/** Code whose fence is still open. */
interface OpenCode {
  /** The characters of the fence. */
  mark: string;
  language: string;
  /** The line that opened it. */
  opening: string;
  chunks: readonly string[];
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const item = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;
const blank = /^\s*$/;
/** Length beyond which a block is ended although a list goes on in it: parsing it anew for each frame would take too long. */
const max_block = 6_000;
const chunk_length = 2_000;

/**
 * Splits a growing Markdown text into finished blocks, which are parsed once, and an open one at the end. Adding a piece costs as much as the
 * piece and the current line are long, however long the text is.
 */
export class GrowingText {
  #blocks: readonly string[] = [];
  /** The open block. Inside of a fence: the code so far that isn't in a chunk. */
  #tail = '';
  /** Start of the first line of the tail that hasn't been looked at. */
  #line = 0;
  /** Start of the line after the last blank one; undefined if the tail has none at its end. */
  #gap: number | undefined;
  #code: OpenCode | undefined;

  get blocks(): readonly string[] {
    return this.#blocks;
  }

  get open(): OpenBlock {
    if (!this.#code) return { kind: 'text', text: this.#tail };
    return { kind: 'code', language: this.#code.language, chunks: this.#code.chunks, text: this.#tail };
  }

  add(piece: string): void {
    this.#tail += piece;
    for (let end = this.#tail.indexOf('\n', this.#line); end !== -1; end = this.#tail.indexOf('\n', this.#line)) {
      const start = this.#line;
      this.#line = end + 1;
      this.#take(this.#tail.slice(start, end), start);
    }
  }

  #take(line: string, start: number): void {
    const opened = this.#code ? undefined : fence.exec(line);
    if (this.#code) this.#takeCode(line);
    else if (opened && (this.#gap !== undefined || start === 0 || !item.test(this.#tail))) this.#openCode(line, start, opened);
    else if (blank.test(line)) this.#gap = this.#line;
    else {
      if (this.#gap !== undefined && (this.#isNew(line) || start > max_block)) this.#cut(start);
      this.#gap = undefined;
    }
  }

  /** Returns whether a line after a blank one begins another block, and doesn't continue a list. */
  #isNew(line: string): boolean {
    return !/^\s/.test(line) && !(item.test(line) && item.test(this.#tail));
  }

  #openCode(line: string, start: number, [, mark = '```', language = '']: RegExpExecArray): void {
    this.#cut(start);
    this.#code = { mark, language: language.trim().split(/\s/)[0] ?? '', opening: line, chunks: [] };
    this.#tail = this.#tail.slice(this.#line);
    this.#line = 0;
    this.#gap = undefined;
  }

  #takeCode(line: string): void {
    const code = this.#code as OpenCode;
    const { mark, opening, chunks } = code;
    const bare = line.trim();
    if (bare.length >= mark.length && bare === (mark[0] ?? '').repeat(bare.length)) {
      const text = chunks.join('') + this.#tail.slice(0, this.#line);
      this.#blocks = [...this.#blocks, `${opening}\n${text}`];
      this.#code = undefined;
      this.#rest();
    } else if (this.#line >= chunk_length) {
      this.#code = { ...code, chunks: [...chunks, this.#tail.slice(0, this.#line)] };
      this.#rest();
    }
  }

  /** Ends the block before a position of the tail. */
  #cut(position: number): void {
    const block = this.#tail.slice(0, position);
    if (!blank.test(block)) this.#blocks = [...this.#blocks, block];
    this.#tail = this.#tail.slice(position);
    this.#line -= position;
    this.#gap = undefined;
  }

  #rest(): void {
    this.#tail = this.#tail.slice(this.#line);
    this.#line = 0;
  }
}
