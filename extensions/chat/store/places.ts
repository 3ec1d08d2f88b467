import type { SqlValue } from '../../../kernel/contract/index.js';

/** A row of a list of rows, its values added to those of the statement: `($4, $5, $6)`. */
export function tuple(values: SqlValue[], row: readonly SqlValue[]): string {
  return `(${row.map((value) => `$${values.push(value)}`).join()})`;
}
