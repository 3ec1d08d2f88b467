/** Returns the words of a record's key: `owner.user_name` → `Owner user name`. */
export function labelOf(key: string): string {
  return capitalised(key.replaceAll(/[_.]/g, ' '));
}

/** Returns words that begin with a capital letter, as labels of buttons do. */
export function capitalised(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
