import type { Note } from './channel.js';

/** A channel's size limit and how it measures. The size of two texts together is the sum of their sizes. */
export interface Limit {
  readonly max: number;
  readonly size: (text: string) => number;
}

/** Size in UTF-8. */
export function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** Size in UTF-8 within a JSON string. */
export function jsonBytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

const ellipsis = '…';

/**
 * Joins title, summary and link, one per line, within a limit. A text that is too long ends in `…`, cut between
 * graphemes; the link stays whole, or is omitted if it takes more than half the limit.
 */
export function textOf(note: Note, limit: Limit): string {
  const link = note.url === null ? '' : `\n${note.url}`;
  const tail = limit.size(link) * 2 <= limit.max ? link : '';
  const text = [titleOf(note), summaryOf(note)].filter((part) => part !== '').join('\n');
  return cut(text, { ...limit, max: limit.max - limit.size(tail) }) + tail;
}

/** The title on one line. */
export function titleOf({ title }: Note): string {
  return plain(title).replaceAll(/\s+/g, ' ');
}

export function summaryOf({ summary }: Note): string {
  return plain(summary);
}

/** Returns the text if it fits, otherwise its start and `…`. */
export function cut(text: string, { max, size }: Limit): string {
  if (size(text) <= max) return text;
  let left = max - size(ellipsis);
  if (left < 0) return '';
  let end = 0;
  // A flag, a family and an accented letter consist of several code points each.
  for (const { segment, index } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    left -= size(segment);
    if (left < 0) break;
    end = index + segment.length;
  }
  return text.slice(0, end).trimEnd() + ellipsis;
}

/** Removes characters that no channel shows and some refuse: control characters and lone surrogates. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, ' ')
    .trim();
}
