import type { Database } from '../../../kernel/contract/index.js';

/** The texts of a JSON array that is the first parameter, as a table with the one column `value`. */
export function listed({ dialect }: Pick<Database, 'dialect'>): string {
  return dialect === 'postgres' ? 'json_array_elements_text($1::json) AS listed(value)' : 'json_each($1)';
}
