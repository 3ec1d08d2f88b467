const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const min_length = 8;

/** Whether a text is a whole UUID. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** Shortens the UUIDs of a column to their ends, as far as these differ: ids of one time begin alike. */
export function shortIds(column: readonly string[]): string[] {
  const ids = [...new Set(column.filter(isUuid))];
  let length = min_length;
  while (length < 36 && new Set(ids.map((id) => id.slice(-length))).size < ids.length) length += 1;
  return column.map((text) => (isUuid(text) ? text.slice(-length) : text));
}
