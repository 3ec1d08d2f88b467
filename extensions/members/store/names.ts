/** Both names in one column and one case, because SQLite's own `LIKE` knows the case of ASCII only. */
export function searchOf({ username, nickname }: { username: string; nickname: string }): string {
  return searchable(`${username}\n${nickname}`);
}

/** What a member is sorted by: its nickname without case and accents. */
export function nameKeyOf(nickname: string): string {
  const plain = nickname.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return Array.from(plain).slice(0, 64).join('');
}

/** Matches what {@link searchOf} gave of a member with this in one of its names; `!` escapes. */
export function patternOf(keyword: string): string {
  return `%${escapeLike(searchable(keyword))}%`;
}

function escapeLike(text: string): string {
  return text.replace(/[!%_]/g, '!$&');
}

function searchable(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
