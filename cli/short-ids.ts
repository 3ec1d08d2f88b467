const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const min_length = 8;

/** Shortens the UUIDs of a column to their ends, as far as these differ: ids of one time begin alike. */
export function shortIds(column: readonly string[]): string[] {
  const ids = [...new Set(column.filter((text) => uuid.test(text)))];
  let length = min_length;
  while (length < 36 && new Set(ids.map((id) => id.slice(-length))).size < ids.length) length += 1;
  return column.map((text) => (uuid.test(text) ? text.slice(-length) : text));
}
