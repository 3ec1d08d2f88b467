import type { SqlValue } from '../../../kernel/contract/index.js';
import { Facade } from '../../../kernel/platform/data/facade.js';
import { watchStatements } from './statements.js';

type Explain = (sql: string, values?: readonly SqlValue[]) => Promise<void>;
type Asking = (this: Facade, sql: string, values?: readonly SqlValue[]) => Promise<object[]>;

/** Plans of the statements on a table or several, by the statement as it ran last. */
export type Plans = ReadonlyMap<string, string>;

/**
 * Explains each statement that `work` runs and that names the tables: SQL text, prepared statements that it prepares, and those that
 * models make.
 */
export async function plansOf(db: Facade, tables: string, work: () => Promise<void>): Promise<Plans> {
  const plans = new Map<string, string>();
  const original = Facade.prototype as unknown as Record<'rows' | 'run', Asking> & Pick<Facade, 'prepare'>;
  const { rows, run, prepare } = original;
  const explain: Explain = async (sql, values = []) => {
    if (!sql.includes(tables)) return;
    const plan = await rows.call(db, `EXPLAIN ${db.dialect === 'sqlite' ? 'QUERY PLAN' : ''} ${sql}`, values);
    plans.set(sql, plan.map((row) => Object.values(row).at(-1)).join('\n'));
  };
  const explained = (asked: Asking): Asking =>
    async function ask(sql, values) {
      await explain(sql, values);
      return asked.call(this, sql, values);
    };
  const explainPrepared: Facade['prepare'] = function ask(this: Facade, sql, options) {
    const query = prepare.call(this, sql, options) as ReturnType<typeof this.prepare>;
    const all = async (...values: SqlValue[]) => {
      await explain(sql, values);
      return query.all(...values);
    };
    return { all, get: async (...values: SqlValue[]) => (await all(...values))[0] } as never;
  };
  const ofModels = watchStatements(tables);
  Object.assign(original, { rows: explained(rows), run: explained(run), prepare: explainPrepared });
  try {
    await work();
  } finally {
    Object.assign(original, { rows, run, prepare });
  }
  const withValues = ofModels.splice(0).filter((sql) => !/^\s*EXPLAIN|\$1/.test(sql));
  for (const sql of withValues) await explain(sql);
  return plans;
}
