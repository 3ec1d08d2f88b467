import type { Note } from './channel.js';

/** How much a channel takes, and how it counts. The size of two texts together is the sum of their sizes. */
export interface Limit {
  readonly max: number;
  readonly size: (text: string) => number;
}

/** In UTF-8. */
export function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** In UTF-8, within a JSON string. */
export function jsonBytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

const ellipsis = '…';

/**
 * Title, summary and link as one text, a line each, within a limit. What is too long ends in `…`, between two
 * characters as people see them; the link stays whole, or is left out where it alone takes half of the limit.
 */
export function textOf(note: Note, limit: Limit): string {
  const link = note.url === null ? '' : `\n${note.url}`;
  const tail = limit.size(link) * 2 <= limit.max ? link : '';
  const text = [titleOf(note), summaryOf(note)].filter((part) => part !== '').join('\n');
  return cut(text, { ...limit, max: limit.max - limit.size(tail) }) + tail;
}

/** On one line. */
export function titleOf({ title }: Note): string {
  return plain(title).replaceAll(/\s+/g, ' ');
}

export function summaryOf({ summary }: Note): string {
  return plain(summary);
}

/** The text where it fits, else its beginning and `…`. */
export function cut(text: string, { max, size }: Limit): string {
  if (size(text) <= max) return text;
  let left = max - size(ellipsis);
  if (left < 0) return '';
  let end = 0;
  // A flag, a family and a letter with its accents are several code points each.
  for (const { segment, index } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    left -= size(segment);
    if (left < 0) break;
    end = index + segment.length;
  }
  return text.slice(0, end).trimEnd() + ellipsis;
}

/** Without what no channel shows and some refuse: control characters, halves of characters. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, ' ')
    .trim();
}
