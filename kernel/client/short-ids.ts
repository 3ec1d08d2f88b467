const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const min_length = 8;

/** Returns whether a text is a full UUID. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** Shortens the UUIDs of a column to suffixes that are still distinct: ids of the same time have the same prefix. */
export function shortIds(column: readonly string[]): string[] {
  const ids = [...new Set(column.filter(isUuid))];
  let length = min_length;
  while (length < 36 && new Set(ids.map((id) => id.slice(-length))).size < ids.length) length += 1;
  return column.map((text) => (isUuid(text) ? text.slice(-length) : text));
}
