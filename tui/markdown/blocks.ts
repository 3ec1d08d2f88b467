import type { Token } from 'markdown-it';
import { blockTokens } from './parser.js';

/** A block that begins at a line: a paragraph, a table, an item of a list. */
interface Start {
  line: number;
  type: string;
  /** The number of an ordered list's item. */
  number?: number;
}

/** Limit of what is read as Markdown, in characters; the rest is one more block. */
const max_length = 200_000;
/** Limits of a table's part, in rows and in characters: laying out all of a table anew for each row that arrives would take minutes. */
const max_rows = 100;
const max_part = 10_000;
/** Limit of a heading, in characters, that is repeated above each part of its table. */
const max_heading = 1_000;

/**
 * Splits a text into its blocks: paragraphs, tables, items of lists at the left edge. Each can be rendered alone. A block begins with a
 * line break if an empty line separates it from the previous one. A long table is several blocks, each with the heading.
 */
export function blocksOf(text: string): string[] {
  if (text.length > max_length) return [...blocksOf(text.slice(0, max_length)), text.slice(max_length)];
  const lines = text.split('\n');
  return slices(lines, startsOf(blockTokens(text)));
}

/** Splits a text that is still being written into the blocks that are complete, and the rest. */
export function completeBlocksOf(text: string): { blocks: string[]; rest: string } {
  const end = text.lastIndexOf('\n') + 1;
  const [whole, tail] = [text.slice(0, end), text.slice(end)];
  const lines = whole.split('\n').slice(0, -1);
  const emptyLines = lines
    .slice(contentEnd(lines, lines.length))
    .map((line) => `${line}\n`)
    .join('');
  // If the last block is over, a word below it is a paragraph of its own.
  const starts = startsOf(blockTokens(`${whole}word`));
  const isOver = starts.at(-1)?.line === lines.length;
  if (isOver) starts.pop();
  const blocks = slices(lines, starts);
  if (isOver && !mayContinue(starts.at(-1), lines.at(-1))) return { blocks, rest: emptyLines + tail };
  const last = blocks.pop();
  return { blocks, rest: last === undefined ? text : `${last}\n${emptyLines}${tail}` };
}

/** Returns whether the last block may go on: an empty line ends neither a list nor indented code, and a quote may end with `>`. */
function mayContinue(block: Start | undefined, line: string | undefined): boolean {
  if (block?.type === 'blockquote_open') return !isBlank(line);
  return block?.type === 'list_item_open' || block?.type === 'code_block';
}

function startsOf(tokens: readonly Token[]): Start[] {
  const starts: Start[] = [];
  let number: number | undefined;
  for (const token of tokens) {
    if (token.nesting < 0 || token.map === null) continue;
    const [line] = token.map;
    if (token.level === 0 && token.type === 'ordered_list_open') number = Number(token.attrGet('start') ?? 1);
    else if (token.level === 0 && token.type === 'bullet_list_open') number = undefined;
    else if (token.level === 1 && token.type === 'list_item_open') {
      starts.push({ line, type: token.type, ...(number === undefined ? {} : { number }) });
      if (number !== undefined) number += 1;
    } else if (token.level === 0) starts.push({ line, type: token.type });
  }
  return starts;
}

/** Returns the text of each block, with the empty lines before it reduced to one. */
function slices(lines: readonly string[], starts: readonly Start[]): string[] {
  return starts.flatMap(({ line, type, number }, index) => {
    const next = starts[index + 1]?.line ?? lines.length;
    const own = lines.slice(line, contentEnd(lines, next));
    const gap = line > 0 && isBlank(lines[line - 1]) ? '\n' : '';
    if (type === 'table_open') return tableParts(own).map((part, at) => (at === 0 ? gap : '\n') + part);
    const text = own.join('\n');
    return gap + (number === undefined ? text : text.replace(/^( *)\d+/, `$1${number}`));
  });
}

/** Splits a table, a row a line, into parts with the heading. */
function tableParts([heading = '', delimiter = '', ...rows]: readonly string[]): string[] {
  if (heading.length + delimiter.length > max_heading) return [[heading, delimiter, ...rows].join('\n')];
  const parts: string[][] = [[]];
  let length = 0;
  for (const row of rows) {
    const part = parts.at(-1) ?? [];
    if (part.length === max_rows || (part.length > 0 && length + row.length > max_part)) {
      parts.push([row]);
      length = 0;
    } else part.push(row);
    length += row.length;
  }
  return parts.map((part) => [heading, delimiter, ...part].join('\n'));
}

function contentEnd(lines: readonly string[], end: number): number {
  let last = end;
  while (last > 0 && isBlank(lines[last - 1])) last -= 1;
  return last;
}

function isBlank(line: string | undefined): boolean {
  return line?.trim() === '';
}
