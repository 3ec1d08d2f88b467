/** Returns the number of trailing characters that may be the start of a mark continued in the next piece. */
export function partialMarkLength(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
