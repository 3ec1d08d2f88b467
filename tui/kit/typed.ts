import { harmless } from '../../kernel/client/terminal-text.js';

const segments = new Intl.Segmenter();
const paste = 'paste:';

/** The characters of a text, as people count them. */
export function charactersOf(text: string): string[] {
  return Array.from(segments.segment(text), ({ segment }) => segment);
}

/** Returns a pasted text as one key, so that no character of it is a command; no key if nothing of it can be written. */
export function pasted(text: string): string[] {
  const plain = harmless(text.replace(/\r\n?/g, '\n'));
  return plain === '' ? [] : [paste + plain];
}

/** Returns the text that a key of {@link Binding} writes; undefined if it writes none. */
export function textOf(key: string): string | undefined {
  if (key.startsWith(paste)) return key.slice(paste.length);
  return Array.from(key).length === 1 ? key : undefined;
}

/** A line after a key of {@link Binding}; undefined where the key types nothing. A pasted text becomes one line. */
export function typed(line: string, key: string): string | undefined {
  if (key === 'backspace' || key === 'delete') return charactersOf(line).slice(0, -1).join('');
  if (key === 'ctrl-u') return '';
  const text = textOf(key);
  return text === undefined ? undefined : line + text.replace(/\n+$/, '').replaceAll('\n', ' ');
}
