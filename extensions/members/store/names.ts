/** Returns both names in lower case, because SQLite's `LIKE` only folds ASCII. */
export function searchOf({ username, nickname }: { username: string; nickname: string }): string {
  return searchable(`${username}\n${nickname}`);
}

/** Returns the sort key: the nickname without case and accents. */
export function nameKeyOf(nickname: string): string {
  const plain = nickname.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return Array.from(plain).slice(0, 64).join('');
}

/** Normalises text in the same way as {@link searchOf}. */
export function searchable(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
