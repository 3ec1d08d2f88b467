import stringWidth from 'string-width';
import { harmless } from '../../kernel/client/terminal-text.js';

export type Align = 'left' | 'right';

/** Formats a value on one line, without control characters. */
export function oneLine(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return harmless(text.replace(/\s+/g, ' '));
}

const ascii = /^[\x20-\x7E]*$/;

/** Returns the number of columns that a text takes. */
export function widthOf(text: string): number {
  return ascii.test(text) ? text.length : stringWidth(text);
}

/** Fits a text to exactly `columns`: truncates it with `…`, or pads it. */
export function fit(text: string, columns: number, align: Align = 'left'): string {
  const result = cut(text, columns);
  const room = ' '.repeat(Math.max(0, columns - widthOf(result)));
  return align === 'right' ? room + result : result + room;
}

/** Truncates a text to at most `columns`; `…` marks the cut. */
export function cut(text: string, columns: number): string {
  if (columns <= 0) return '';
  // Measures only a prefix of a long text: a character takes at most two columns, and zero-width marks are few.
  const prefix = text.length > columns * 8 ? text.slice(0, columns * 8) : text;
  if (prefix === text && widthOf(text) <= columns) return text;
  let result = '';
  let used = 0;
  for (const { segment } of segments.segment(prefix)) {
    const width = widthOf(segment);
    if (used + width > columns - 1) break;
    result += segment;
    used += width;
  }
  return `${result}…`;
}

const segments = new Intl.Segmenter();

const max_length = 20_000;

/**
 * Wraps a text to lines of at most `columns`, between words; a longer word is broken. Leading indents stay, trailing blanks
 * of wrapped lines are removed. A line is truncated after 20,000 characters with `…`.
 */
export function wrapped(text: string, columns: number): string[] {
  return limitLines(text).flatMap((line) => wrapLine(line, Math.max(1, columns)));
}

/** Wraps a text to full lines, also within words, for text input. A line is truncated after 20,000 characters. */
export function wrappedAnywhere(text: string, columns: number): string[] {
  return limitLines(text).flatMap((line) => breakAnywhere(line, Math.max(1, columns)));
}

function limitLines(text: string): string[] {
  return text.split('\n').map((line) => (line.length > max_length ? `${line.slice(0, max_length)}…` : line));
}

/** Wraps one line between words. */
function wrapLine(line: string, columns: number): string[] {
  if (line.length <= columns * 8 && widthOf(line) <= columns) return [line];
  const lines: string[] = [];
  let result = '';
  let used = 0;
  for (const [piece, word = ''] of line.matchAll(/(^ *[^ ]*|[^ ]+) */g)) {
    const width = widthOf(word);
    if (used > 0 && used + width > columns) {
      lines.push(result.trimEnd());
      result = '';
      used = 0;
    }
    if (width > columns) {
      const parts = breakAnywhere(word, columns);
      result = parts.pop() ?? '';
      lines.push(...parts);
      used = widthOf(result);
    } else {
      result += word;
      used += width;
    }
    result += piece.slice(word.length);
    used += piece.length - word.length;
  }
  return [...lines, result.trimEnd()];
}

function breakAnywhere(line: string, columns: number): string[] {
  if (line.length <= columns * 8 && widthOf(line) <= columns) return [line];
  if (ascii.test(line)) return line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [];
  const lines: string[] = [];
  let result = '';
  let used = 0;
  for (const character of charactersOf(line)) {
    const width = widthOf(character);
    if (used + width > columns) {
      lines.push(result);
      result = '';
      used = 0;
    }
    result += character;
    used += width;
  }
  return [...lines, result];
}

const piece_length = 1_000;

/** Yields grapheme clusters. Works in chunks: the segmenter's cost per cluster grows with the length of its text. */
export function* charactersOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const found = Array.from(segments.segment(text.slice(at, at + piece_length)), ({ segment }) => segment);
    // The last cluster may continue in the next chunk.
    if (found.length > 1 && at + piece_length < text.length) found.pop();
    yield* found;
    at += found.reduce((length, { length: own }) => length + own, 0);
  }
}
