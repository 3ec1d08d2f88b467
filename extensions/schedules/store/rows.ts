import type { SqlValue } from '../../../kernel/contract/index.js';

/** The placeholders of a list of values: `$1, $2, $3`. An empty list gives one that matches nothing. */
export function places(values: readonly unknown[], first = 1): string {
  return values.length === 0 ? 'NULL' : values.map((_value, index) => `$${first + index}`).join(', ');
}

/** Rows for `VALUES`, with what they hold added to `values`: `($3, $4), ($5, $6)`. */
export function valuesOf(values: SqlValue[], rows: readonly (readonly SqlValue[])[]): string {
  return rows.map((row) => `(${row.map((value) => `$${values.push(value)}`).join()})`).join();
}
