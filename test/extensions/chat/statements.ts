import { Transactions } from '../../../kernel/platform/data/transactions.js';

/**
 * Records the statements of all platforms of this process that name a table, from now on: SQL text and those that models make, without
 * quotes around names. Prepared statements are left out.
 */
export function watchStatements(table: string): string[] {
  const seen: string[] = [];
  const original = Reflect.get(Transactions.prototype, 'statement') as Transactions['statement'];
  Transactions.prototype.statement = function watched(sql, work) {
    const plain = sql.replaceAll(/[`"]/g, '');
    if (plain.includes(table)) seen.push(plain);
    return original.call(this, sql, work) as ReturnType<typeof work>;
  };
  return seen;
}
