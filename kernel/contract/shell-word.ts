/** A text as a shell takes it for one word: what is told to be pasted must be what is meant, whatever a folder's name holds. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
