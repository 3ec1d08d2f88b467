import { type Clock, type Database, Op } from '../../kernel/contract/index.js';
import type { Models } from './models.js';

const retention_ms = 30 * 86_400_000;
/** Number of runs kept for each schedule. */
const max_runs = 1_000;
/** Limit of rows deleted by one statement, so that others aren't blocked. */
const batch = 1_000;
/** Limit of statements in one pass: the rest waits for the next. */
const max_batches = 1_000;

export interface HousekeepingParts {
  db: Pick<Database, 'expressions'>;
  runs: Models['runs'];
  clock: Clock;
}

/** Limits the history: 30 days, and 1,000 runs per schedule. */
export class Housekeeping {
  readonly #parts: HousekeepingParts;

  constructor(parts: HousekeepingParts) {
    this.#parts = parts;
  }

  /** Returns the number of rows deleted. */
  async clean(): Promise<number> {
    const { runs, clock } = this.#parts;
    const started_at = { [Op.lt]: clock.now() - retention_ms };
    const old = await repeated(() => runs.destroy({ where: { started_at, finished_at: { [Op.ne]: null } }, limit: batch }));
    return old + (await repeated(() => this.#removeSurplus()));
  }

  /** Deletes a batch of each schedule that has too many. */
  async #removeSurplus(): Promise<number> {
    const { db, runs } = this.#parts;
    const { fn, col, where } = db.expressions;
    const having = where(fn('count', col('id')), Op.gt, max_runs);
    const crowded = await runs.findAll({ attributes: ['schedule_id'], group: ['schedule_id'], having, limit: 100, raw: true });
    let removed = 0;
    for (const { schedule_id } of crowded) {
      const latest = { where: { schedule_id }, order: [['id', 'DESC'] as [string, string]], offset: max_runs };
      const surplus = await runs.findOne({ attributes: ['id'], ...latest, raw: true });
      const id = { [Op.lte]: surplus?.id ?? 0 };
      removed += await runs.destroy({ where: { schedule_id, id, finished_at: { [Op.ne]: null } }, limit: batch });
    }
    return removed;
  }
}

async function repeated(remove: () => Promise<number>): Promise<number> {
  let removed = 0;
  for (let turn = 0, last = batch; turn < max_batches && last > 0; turn += 1) {
    last = await remove();
    removed += last;
  }
  return removed;
}
