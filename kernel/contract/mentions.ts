const max_names = 20;
const code = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;
/** Scripts that write no space around a name: `你好@ada吗`. Korean writes none after it. */
const unspaced = ['Han', 'Hira', 'Kana', 'Bopo', 'Hang', 'Thai', 'Laoo', 'Khmr', 'Mymr', 'Tibt'].map((script) => `\\p{scx=${script}}`);
/** A letter or a digit of another script. */
const spaced = `(?![${unspaced.join('')}])[\\p{L}\\p{N}]`;
/** Pattern of the sign that begins a mention, the full-width one of East Asian keyboards included, where no word or address goes on. */
export const mention_sign = `(?<!${spaced}|[_.@＠/:-])[@＠]`;
const mention = new RegExp(`${mention_sign}([A-Za-z0-9._-]{2,64})(?!${spaced}|[_@＠/-])`, 'gu');

/** A user name that a text mentions as `@username` or `＠username`. */
export interface Mention {
  /** In lower case, without a full stop at its end: `@Ben.` mentions `ben`. */
  name: string;
  /** Position of the `@` in the text, in UTF-16 units. */
  offset: number;
  /** Length of the `@` and the name, in UTF-16 units. */
  length: number;
}

/**
 * Returns the mentions of a text in their order: each `@username` that is a word of its own, of the first 20 different names. Scripts without
 * spaces may surround it. Ignores code and e-mail addresses. Doesn't check whether such members exist.
 */
export function mentionsIn(text: string): Mention[] {
  if (!/[@＠]/.test(text)) return [];
  const names = new Set<string>();
  const found: Mention[] = [];
  for (const { 1: written = '', index } of withoutCode(text).matchAll(mention)) {
    const plain = written.replace(/\.+$/, '');
    const name = plain.toLowerCase();
    if (name.length < 2 || (names.size === max_names && !names.has(name))) continue;
    names.add(name);
    found.push({ name, offset: index, length: 1 + plain.length });
  }
  return found;
}

/** Returns the names that a text mentions, as {@link mentionsIn} finds them, each once. */
export function mentionedNames(text: string): string[] {
  return [...new Set(mentionsIn(text).map(({ name }) => name))];
}

/** Replaces code in Markdown by spaces, so that the rest keeps its place. */
export function withoutCode(text: string): string {
  return text.replaceAll(code, (piece) => ' '.repeat(piece.length));
}
