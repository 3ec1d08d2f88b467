/** Both names in one column and one case, because SQLite's own `LIKE` knows the case of ASCII only. */
export function searchOf({ username, nickname }: { username: string; nickname: string }): string {
  return searchable(`${username}\n${nickname}`);
}

/** What a member is sorted by: its nickname without case and accents. */
export function nameKeyOf(nickname: string): string {
  const plain = nickname.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return Array.from(plain).slice(0, 64).join('');
}

/** Text as {@link searchOf} has it. */
export function searchable(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
