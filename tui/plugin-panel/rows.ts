/** A record of an answer. */
export type Row = Readonly<Record<string, unknown>>;

/** Of a list that is longer. */
const max_rows = 1_000;
const max_columns = 6;

/** The records of an answer: a list, what it has as `items`, or itself. */
export function rowsOf(answer: unknown): Row[] {
  const { items } = isRow(answer) ? answer : {};
  const list = Array.isArray(answer) ? answer : Array.isArray(items) ? items : answer === undefined ? [] : [answer];
  return list.slice(0, max_rows).map((each: unknown) => (isRow(each) ? each : { value: each }));
}

/** What a list without columns of its own shows: the first that have a plain value. */
export function columnsOf(rows: readonly Row[]): string[] {
  const plain = Object.entries(rows[0] ?? {}).filter(([, value]) => typeof value !== 'object' || value === null);
  return plain.map(([key]) => key).slice(0, max_columns);
}

/** What a record has under a key; dotted, what lies within that. */
export function valueAt(row: Row, key: string): unknown {
  if (Object.hasOwn(row, key)) return row[key];
  return key.split('.').reduce<unknown>((value, name) => (isRow(value) && Object.hasOwn(value, name) ? value[name] : undefined), row);
}

/** By what a record is known again: its id where that is its alone, else its place. */
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
