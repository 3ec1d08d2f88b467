/** Quotes a text as one word of a shell, so that a command to paste stays correct whatever characters a folder's name has. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
