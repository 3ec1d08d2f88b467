import type { Token } from 'markdown-it';
import { harmless } from '../../kernel/client/terminal-text.js';
import { widthOf, wrappedAnywhere } from '../kit/cells.js';
import { blocksOf } from './blocks.js';
import { fill, paint, type Run } from './fill.js';
import { runsOf } from './inline.js';
import { tokensOf } from './parser.js';
import { type TableCell, tableLines } from './table.js';

export interface MarkdownOptions {
  /** Width of a line in columns. */
  width: number;
  /** Whether styles are used; otherwise marks such as `**` show the structure. */
  color: boolean;
  /** Whether long words and lines of code are broken. Default false: they stay whole, so that they can be copied. */
  breaksWords?: boolean;
}

/** A token, and those within it. */
interface Node {
  token: Token;
  children: Node[];
}

/** Limit of a block with text in it, in characters; a longer one is shown as plain text. */
const max_block = 50_000;
/** Minimum of columns that remain inside of quotes and lists; what would get less is not indented. */
const min_room = 10;
const bullet = '• ';
const openFence = /^\s*(```|~~~)/;

/**
 * Formats Markdown as lines for a terminal, without control characters of its own. HTML stays text.
 *
 * The parser is a package, but the lines are written here: marked-terminal and cli-markdown bring a dozen packages for highlighting,
 * emoji and tables, wrap by another width than ours, break code, and let a text's control characters through.
 */
export function renderMarkdown(text: string, options: MarkdownOptions): string[] {
  return withoutGap(blocksOf(text).flatMap((block) => renderBlock(block, options)));
}

/** Formats a block; an empty line comes first if one separates it from the previous block. */
export function renderBlock(block: string, options: MarkdownOptions): string[] {
  const text = harmless(block);
  const gap = text.startsWith('\n') ? [''] : [];
  const writer = new BlockWriter(options);
  const isLong = text.length > max_block && !openFence.test(text);
  const tokens = isLong ? undefined : tokensOf(text);
  if (tokens === undefined) return [...gap, ...writer.plain(text.replace(/^\n+/, ''))];
  return [...gap, ...writer.blocks(treeOf(tokens), Math.max(min_room, options.width))];
}

/** Returns lines without an empty one at the start. */
export function withoutGap(lines: string[]): string[] {
  return lines[0] === '' ? lines.slice(1) : lines;
}

function treeOf(tokens: readonly Token[]): Node[] {
  const root: Node[] = [];
  const open = [root];
  for (const token of tokens) {
    if (token.nesting < 0) open.pop();
    else {
      const node: Node = { token, children: [] };
      open.at(-1)?.push(node);
      if (token.nesting > 0) open.push(node.children);
    }
  }
  return root;
}

class BlockWriter {
  readonly #color: boolean;
  readonly #breaksWords: boolean;
  readonly #width: number;

  constructor({ color, width, breaksWords = false }: MarkdownOptions) {
    this.#color = color;
    this.#width = width;
    this.#breaksWords = breaksWords;
  }

  /** Formats blocks with an empty line between them, unless they are parts of a tight list. */
  blocks(nodes: readonly Node[], width: number): string[] {
    return nodes.flatMap((node, index) => {
      const lines = this.#block(node, width);
      return index > 0 && !isTight(nodes) ? ['', ...lines] : lines;
    });
  }

  plain(text: string): string[] {
    return this.#fill([{ text, codes: '' }], this.#width);
  }

  #block({ token, children }: Node, width: number): string[] {
    if (token.type === 'paragraph_open') return this.#fill(this.#runs(children), width);
    if (token.type === 'heading_open') return this.#heading(token, children, width);
    if (token.type === 'fence' || token.type === 'code_block') return this.#code(token, width);
    if (token.type === 'blockquote_open') return this.#quote(children, width);
    if (token.type === 'table_open') return tableLines(this.#rows(children), { width, color: this.#color });
    if (token.type === 'hr') return [this.#dim('─'.repeat(width))];
    if (token.type === 'bullet_list_open') return this.#list(children, () => bullet, width);
    if (token.type !== 'ordered_list_open') return this.#fill([{ text: token.content, codes: '' }], width);
    const first = Number(token.attrGet('start') ?? 1);
    const digits = String(first + children.length - 1).length;
    return this.#list(children, (index) => `${String(first + index).padStart(digits)}. `, width);
  }

  #heading({ tag }: Token, children: readonly Node[], width: number): string[] {
    const level = Number(tag.slice(1));
    const codes = level === 1 ? ['1', '4'] : ['1'];
    // Marks tell levels apart that have no style of their own.
    const mark = this.#color && level <= 2 ? [] : [{ text: `${'#'.repeat(level)} `, codes: this.#color ? '1' : '' }];
    return this.#fill([...mark, ...this.#runs(children, codes)], width);
  }

  /** Formats code between its fences, at the left edge, so that it can be copied. */
  #code({ type, info, content, markup }: Token, width: number): string[] {
    const fence = type === 'fence' ? markup : '```';
    const lines = content === '' ? [] : content.replace(/\n$/, '').split('\n');
    const shown = this.#breaksWords ? lines.flatMap((line) => wrappedAnywhere(line.replaceAll('\t', '  '), width)) : lines;
    const first = this.#fill([{ text: fence + harmless(info), codes: this.#color ? '2' : '' }], width);
    return [...first, ...shown.map((line) => paint(line, this.#color ? '36' : '')), this.#dim(fence)];
  }

  #quote(children: readonly Node[], width: number): string[] {
    const bar = this.#dim('│');
    const room = width - 2;
    if (room < min_room) return this.blocks(children, width);
    return this.blocks(children, room).map((line) => (line === '' ? bar : `${bar} ${line}`));
  }

  #list(items: readonly Node[], markOf: (index: number) => string, width: number): string[] {
    const isLoose = items.some(({ children }) => !isTight(children));
    return items.flatMap((item, index) => {
      const lines = this.#item(item, markOf(index), width);
      return isLoose && index > 0 ? ['', ...lines] : lines;
    });
  }

  #item({ children }: Node, mark: string, width: number): string[] {
    const room = width - widthOf(mark);
    if (room < min_room) return [mark.trimEnd(), ...this.blocks(children, width)];
    const indent = ' '.repeat(widthOf(mark));
    const [first = '', ...more] = this.blocks(children, room);
    return [`${mark === bullet && isTask(children) ? '' : mark}${first}`, ...more.map((line) => (line === '' ? '' : indent + line))];
  }

  #rows(sections: readonly Node[]): TableCell[][] {
    return sections.flatMap(({ token, children }) =>
      children.map((row) =>
        row.children.map((cell) => ({
          runs: this.#runs(cell.children, token.type === 'thead_open' ? ['1'] : []),
          align: alignOf(cell.token),
        })),
      ),
    );
  }

  #runs(nodes: readonly Node[], codes: readonly string[] = []): Run[] {
    return nodes.flatMap(({ token }) => runsOf(token.children ?? [], { color: this.#color, codes }));
  }

  #fill(runs: readonly Run[], width: number): string[] {
    return fill(runs, { width, breaksWords: this.#breaksWords }).map(({ text }) => text);
  }

  #dim(text: string): string {
    return paint(text, this.#color ? '2' : '');
  }
}

/** Returns whether blocks are parts of a tight list: the parser hides its paragraphs. */
function isTight(nodes: readonly Node[]): boolean {
  return nodes.every(({ token }) => token.type !== 'paragraph_open' || token.hidden);
}

/** Returns whether an item begins with `[ ]` or `[x]`, which then stands for its mark. */
function isTask([first]: readonly Node[]): boolean {
  return first?.token.type === 'paragraph_open' && /^\[[ xX]\] /.test(first.children[0]?.token.content ?? '');
}

function alignOf(cell: Token): TableCell['align'] {
  const [, align = 'left'] = /text-align:(\w+)/.exec(String(cell.attrGet('style') ?? '')) ?? [];
  return align === 'right' || align === 'center' ? align : 'left';
}
