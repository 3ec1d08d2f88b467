/** Returns how many of the last characters of a text may be the start of a mark that goes on in the next piece. */
export function partialMarkLength(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
