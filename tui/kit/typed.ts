import { harmless } from '../../kernel/client/terminal-text.js';

const segments = new Intl.Segmenter();
const paste = 'paste:';

/** Splits a text into grapheme clusters. */
export function charactersOf(text: string): string[] {
  return Array.from(segments.segment(text), ({ segment }) => segment);
}

/** Returns a pasted text as one key, so that none of its characters acts as a command; no key if it has no printable characters. */
export function pasted(text: string): string[] {
  const plain = harmless(text.replace(/\r\n?/g, '\n'));
  return plain === '' ? [] : [paste + plain];
}

/** Returns the text that a key of {@link Binding} types; undefined if it types none. */
export function textOf(key: string): string | undefined {
  if (key.startsWith(paste)) return key.slice(paste.length);
  return Array.from(key).length === 1 ? key : undefined;
}

/** Applies a key of {@link Binding} to a line; undefined if the key doesn't edit it. A pasted text becomes one line. */
export function typed(line: string, key: string): string | undefined {
  if (key === 'backspace' || key === 'delete') return charactersOf(line).slice(0, -1).join('');
  if (key === 'ctrl-u') return '';
  const text = textOf(key);
  return text === undefined ? undefined : line + text.replace(/\n+$/, '').replaceAll('\n', ' ');
}
