import { coloured, type Terminal } from './terminal.js';

type Blocks = typeof import('../tui/markdown/blocks.js');
type Render = typeof import('../tui/markdown/render.js');

/** From this length on, an unfinished block is read again only once it has grown by an eighth: the time stays in proportion. */
const min_skipped = 4_000;
/** A heading and its delimiter: the rest is a table, unless it is code. */
const openTable = /^\n?.+\n {0,3}[|:-][|: -]*\n/;
/** A line that may end a table. */
const noRow = /^[^|\n]*\n/m;

/** Returns a formatter for replies. Loads its modules only here, because that takes 50 ms. */
export async function openMarkdownOutput(terminal: Terminal): Promise<MarkdownOutput> {
  const [blocks, render] = await Promise.all([import('../tui/markdown/blocks.js'), import('../tui/markdown/render.js')]);
  return new MarkdownOutput({ ...blocks, ...render }, terminal);
}

/** Formats Markdown that arrives in pieces: each block once it is complete. */
export class MarkdownOutput {
  readonly #markdown: Blocks & Render;
  readonly #terminal: Terminal;
  #rest = '';
  #readLength = 0;
  #isFirst = true;

  constructor(markdown: Blocks & Render, terminal: Terminal) {
    this.#markdown = markdown;
    this.#terminal = terminal;
  }

  /** Adds a piece; returns the lines of the blocks that it completes, each ended. */
  take(piece: string): string {
    this.#rest += piece;
    if (!piece.includes('\n') || this.#mayWait()) return '';
    const { blocks, rest } = this.#markdown.completeBlocksOf(this.#rest);
    this.#rest = rest;
    this.#readLength = rest.length;
    return this.#formatted(blocks);
  }

  /** Returns the lines of what is buffered; a text that follows begins anew. */
  end(): string {
    const rest = this.#rest;
    this.#rest = '';
    this.#readLength = 0;
    const lines = this.#formatted(this.#markdown.blocksOf(rest));
    this.#isFirst = true;
    return lines;
  }

  /** Returns whether what is buffered need not be read again yet. Rows of a table wait until it has doubled. */
  #mayWait(): boolean {
    const [rest, read] = [this.#rest, this.#readLength];
    const grown = rest.length - read;
    if (rest.length > min_skipped) return grown * 8 < rest.length;
    const lastLine = rest.lastIndexOf('\n', read - 1) + 1;
    return grown < read && openTable.test(rest) && !noRow.test(rest.slice(lastLine));
  }

  #formatted(blocks: readonly string[]): string {
    const { columns } = this.#terminal.stdout;
    const options = { width: columns || 80, color: coloured(this.#terminal) };
    const lines = blocks.flatMap((block) => this.#markdown.renderBlock(block, options));
    const shown = this.#isFirst ? this.#markdown.withoutGap(lines) : lines;
    if (blocks.length > 0) this.#isFirst = false;
    return shown.map((line) => `${line}\n`).join('');
  }
}
