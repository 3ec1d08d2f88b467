import type { Database, SqlValue } from '../../../kernel/contract/index.js';
import type { Run, RunQuery } from '../contract.js';
import { columns, type Row, toRun } from './run-row.js';

/** Table `schedules_runs`, as it is read, and kept small. */
export class History {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async find(schedule_id: number, id: number): Promise<Run | undefined> {
    const [row] = await this.#db.rows<Row>(`SELECT ${columns} FROM schedules_runs WHERE id = $1 AND schedule_id = $2`, [id, schedule_id]);
    return row && toRun(row);
  }

  /** A page of a schedule's history, the latest first. */
  async page(schedule_id: number, { status, limit, offset }: RunQuery): Promise<{ items: Run[]; total: number }> {
    const values: SqlValue[] = [schedule_id];
    const wanted = status ? `AND status = $${values.push(status)}` : '';
    const [count] = await this.#db.rows<{ total: number | string }>(
      `SELECT count(*) AS total FROM schedules_runs WHERE schedule_id = $1 ${wanted}`,
      values,
    );
    const rows = await this.#db.rows<Row>(
      `SELECT ${columns} FROM schedules_runs WHERE schedule_id = $1 ${wanted} ORDER BY id DESC LIMIT $${values.push(limit)}
       OFFSET $${values.push(offset)}`,
      values,
    );
    return { items: rows.map(toRun), total: Number(count?.total ?? 0) };
  }

  /** Removes at most `limit` final rows from before a time; gives how many. */
  async deleteBefore(time: number, limit: number): Promise<number> {
    return this.#db.run(
      `DELETE FROM schedules_runs WHERE id IN (SELECT id FROM schedules_runs WHERE started_at < $1 AND finished_at IS NOT NULL LIMIT $2)`,
      [time, limit],
    );
  }

  /** Removes at most `limit` final rows of schedules that have more than `most`, their oldest; gives how many. */
  async deleteBeyond(most: number, limit: number): Promise<number> {
    const crowded = await this.#db.rows<{ schedule_id: number }>(
      'SELECT schedule_id FROM schedules_runs GROUP BY schedule_id HAVING count(*) > $1 ORDER BY schedule_id LIMIT 100',
      [most],
    );
    let removed = 0;
    for (const { schedule_id } of crowded) {
      removed += await this.#db.run(
        `DELETE FROM schedules_runs WHERE id IN (SELECT id FROM schedules_runs WHERE schedule_id = $1 AND finished_at IS NOT NULL
           AND id <= (SELECT id FROM schedules_runs WHERE schedule_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2) ORDER BY id LIMIT $3)`,
        [schedule_id, most, limit],
      );
    }
    return removed;
  }
}
