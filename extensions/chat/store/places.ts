import type { SqlValue } from '../../../kernel/contract/index.js';

/** The placeholders of a list of values: `$1, $2, $3`. An empty list gives one that matches nothing. */
export function places(values: readonly unknown[], first = 1): string {
  return values.length === 0 ? 'NULL' : values.map((_value, index) => `$${first + index}`).join(', ');
}

/** A row of a list of rows, its values added to those of the statement: `($4, $5, $6)`. */
export function tuple(values: SqlValue[], row: readonly SqlValue[]): string {
  return `(${row.map((value) => `$${values.push(value)}`).join()})`;
}
