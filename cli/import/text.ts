/** Code in Markdown, in which nothing is replaced. */
const code = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;

/** Changes a text outside of code. */
export function outsideCode(text: string, change: (part: string) => string): string {
  let done = 0;
  let changed = '';
  for (const { 0: piece, index } of text.matchAll(code)) {
    changed += change(text.slice(done, index)) + piece;
    done = index + piece.length;
  }
  return changed + change(text.slice(done));
}

/** Splits a text into parts of at most `length` UTF-16 units: after a line or a word if possible, never within a character. */
export function partsOf(text: string, length: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > length) {
    const at = cutOf(rest, length);
    parts.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return [...parts, rest].filter((part) => part !== '');
}

function cutOf(text: string, length: number): number {
  const start = text.slice(0, length);
  for (const end of ['\n', ' ']) {
    const at = start.lastIndexOf(end);
    if (at > length / 2) return at + 1;
  }
  return /[\uD800-\uDBFF]/.test(start.charAt(length - 1)) ? length - 1 : length;
}
