import type { SqlValue, StatementOptions } from '../../../kernel/contract/index.js';
import { Facade } from '../../../kernel/platform/data/facade.js';

type Method = (this: Facade, sql: string, values?: readonly SqlValue[], options?: StatementOptions) => Promise<never>;

/** The statements that name a table, of all platforms of this process, as they come from now on. */
export function watchStatements(table: string): string[] {
  const seen: string[] = [];
  for (const method of ['rows', 'run'] as const) {
    const original = Facade.prototype[method] as Method;
    Facade.prototype[method] = function watched(this: Facade, ...statement: Parameters<Method>) {
      if (statement[0].includes(table)) seen.push(statement[0]);
      return original.apply(this, statement);
    };
  }
  return seen;
}
