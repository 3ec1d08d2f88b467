import type { SchedulesTable } from '../schedules-table.js';

const batch = 500;

/**
 * Claims all schedules that are due at a time and ends a run of each, by hand: the fewest statements that
 * leave the same rows, in as few transactions. Gives how many there were. On a table that no platform looks at meanwhile.
 */
export async function claimByHand(table: SchedulesTable, at: number): Promise<number> {
  const columns = 'schedule_id, status, cause, scheduled_for, started_at, result, attempt';
  let claimed = 0;
  for (;;) {
    await table.rows('BEGIN');
    const due = `SELECT id FROM schedules_schedules WHERE next_at <= ${at} ORDER BY next_at, id LIMIT ${batch}`;
    const ids = (await table.rows(due)).map(({ id }) => id).join();
    if (ids === '') {
      await table.rows('COMMIT');
      return claimed;
    }
    const runs = await table.rows(
      `INSERT INTO schedules_runs (${columns}) SELECT id, 'running', 'schedule', next_at, ${at}, '', 1 FROM schedules_schedules
       WHERE id IN (${ids}) RETURNING id`,
    );
    await table.rows(`UPDATE schedules_schedules SET next_at = next_at + 86400000 WHERE id IN (${ids})`);
    await table.rows('COMMIT');
    const of = runs.map(({ id }) => id).join();
    await table.rows(`UPDATE schedules_runs SET status = 'success', finished_at = ${at} WHERE id IN (${of})`);
    claimed += runs.length;
  }
}
