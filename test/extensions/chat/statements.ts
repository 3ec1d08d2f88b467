import type { SqlValue } from '../../../kernel/contract/index.js';
import { Facade } from '../../../kernel/data/facade.js';

/** The statements that name a table, of all platforms of this process, as they come from now on. */
export function watchStatements(table: string): string[] {
  const seen: string[] = [];
  for (const method of ['rows', 'run'] as const) {
    const original = Facade.prototype[method] as (this: Facade, sql: string, values?: readonly SqlValue[]) => Promise<never>;
    Facade.prototype[method] = function watched(this: Facade, sql: string, values?: readonly SqlValue[]) {
      if (sql.includes(table)) seen.push(sql);
      return original.call(this, sql, values);
    };
  }
  return seen;
}
