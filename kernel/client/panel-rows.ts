/** A record of a response. */
export type Row = Readonly<Record<string, unknown>>;

/** Limit of the rows shown of a list. */
const max_rows = 1_000;
const max_columns = 6;

/** Returns the records of a response: a list, its `items`, or the response itself. */
export function rowsOf(answer: unknown): Row[] {
  const { items } = isRow(answer) ? answer : {};
  const list = Array.isArray(answer) ? answer : Array.isArray(items) ? items : answer === undefined ? [] : [answer];
  return list.slice(0, max_rows).map((each: unknown) => (isRow(each) ? each : { value: each }));
}

/** Returns default columns for a list: the first keys with plain values. */
export function columnsOf(rows: readonly Row[]): string[] {
  const plain = Object.entries(rows[0] ?? {}).filter(([, value]) => typeof value !== 'object' || value === null);
  return plain.map(([key]) => key).slice(0, max_columns);
}

/** Returns the value of a key; a dotted key reads a nested object. */
export function valueAt(row: Row, key: string): unknown {
  if (Object.hasOwn(row, key)) return row[key];
  return key.split('.').reduce<unknown>((value, name) => (isRow(value) && Object.hasOwn(value, name) ? value[name] : undefined), row);
}

/** Returns a function that identifies a record: by its id if that is unique, otherwise by its position. */
export function identify(rows: readonly Row[]): (row: Row) => string {
  const names = new Map<Row, string>();
  const taken = new Set<string>();
  for (const [index, row] of rows.entries()) {
    const id = ['string', 'number'].includes(typeof row.id) ? `id ${String(row.id)}` : '';
    const name = id === '' || taken.has(id) ? `place ${index}` : id;
    taken.add(name);
    names.set(row, name);
  }
  return (row) => names.get(row) ?? '';
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
