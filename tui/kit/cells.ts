import stringWidth from 'string-width';
import { harmless } from '../../kernel/client/terminal-text.js';

export type Align = 'left' | 'right';

/** A value on one line, without what a terminal obeys. */
export function oneLine(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return harmless(text.replace(/\s+/g, ' '));
}

const ascii = /^[\x20-\x7E]*$/;

/** How many columns a text takes. */
export function widthOf(text: string): number {
  return ascii.test(text) ? text.length : stringWidth(text);
}

/** A text in exactly so many columns: cut with `…`, or filled up. */
export function fit(text: string, columns: number, align: Align = 'left'): string {
  const kept = cut(text, columns);
  const room = ' '.repeat(Math.max(0, columns - widthOf(kept)));
  return align === 'right' ? room + kept : kept + room;
}

/** A text in at most so many columns. */
export function cut(text: string, columns: number): string {
  if (columns <= 0) return '';
  // A character takes two columns at most, and marks without width are few: what is far beyond is not measured.
  const near = text.length > columns * 8 ? text.slice(0, columns * 8) : text;
  if (near === text && widthOf(text) <= columns) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of segments.segment(near)) {
    const taken = widthOf(segment);
    if (used + taken > columns - 1) break;
    kept += segment;
    used += taken;
  }
  return `${kept}…`;
}

const segments = new Intl.Segmenter();

const max_length = 20_000;

/**
 * Breaks a text into lines of at most so many columns, between words; a longer word is broken. The beginning of a line keeps its indent,
 * the end of a broken one loses its blanks. A line is cut after 20,000 characters, with `…`.
 */
export function wrapped(text: string, columns: number): string[] {
  return limited(text).flatMap((line) => filled(line, Math.max(1, columns)));
}

/** Breaks a text into full lines, also within words: for a text that is being written. A line is cut after 20,000 characters. */
export function wrappedAnywhere(text: string, columns: number): string[] {
  return limited(text).flatMap((line) => brokenAnywhere(line, Math.max(1, columns)));
}

function limited(text: string): string[] {
  return text.split('\n').map((line) => (line.length > max_length ? `${line.slice(0, max_length)}…` : line));
}

/** Fills lines with the words of one line. */
function filled(line: string, columns: number): string[] {
  if (line.length <= columns * 8 && widthOf(line) <= columns) return [line];
  const lines: string[] = [];
  let kept = '';
  let used = 0;
  for (const [piece, word = ''] of line.matchAll(/(^ *[^ ]*|[^ ]+) */g)) {
    const taken = widthOf(word);
    if (used > 0 && used + taken > columns) {
      lines.push(kept.trimEnd());
      kept = '';
      used = 0;
    }
    if (taken > columns) {
      const parts = brokenAnywhere(word, columns);
      kept = parts.pop() ?? '';
      lines.push(...parts);
      used = widthOf(kept);
    } else {
      kept += word;
      used += taken;
    }
    kept += piece.slice(word.length);
    used += piece.length - word.length;
  }
  return [...lines, kept.trimEnd()];
}

function brokenAnywhere(line: string, columns: number): string[] {
  if (line.length <= columns * 8 && widthOf(line) <= columns) return [line];
  if (ascii.test(line)) return line.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [];
  const lines: string[] = [];
  let kept = '';
  let used = 0;
  for (const character of characters(line)) {
    const taken = widthOf(character);
    if (used + taken > columns) {
      lines.push(kept);
      kept = '';
      used = 0;
    }
    kept += character;
    used += taken;
  }
  return [...lines, kept];
}

const piece_length = 1_000;

/** What people take for characters. In pieces: the segmenter takes for each as long as its whole text is. */
function* characters(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const found = Array.from(segments.segment(text.slice(at, at + piece_length)), ({ segment }) => segment);
    // The last one may go on in the next piece.
    if (found.length > 1 && at + piece_length < text.length) found.pop();
    yield* found;
    at += found.reduce((length, { length: own }) => length + own, 0);
  }
}
