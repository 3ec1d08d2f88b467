import { join } from 'node:path';
import t, { type Test } from 'tap';
import { SchedulesTable } from '../../bench/schedules-table.js';
import { until } from '../../helpers/eventually.js';
import type { TestPlatform } from '../../helpers/platform.js';
import { watchStatements } from '../chat/statements.js';
import { history, ledger, onEach, type SchedulesClient, scheduled, TestClock } from './world.js';

const count = 1_000;
/** What comes by the clock, however many schedules there are: looks that take no turn among the writes. */
const by_clock = /^\s*SELECT (?:1 AS (?:due|ready|lapsed)|DISTINCT schedule_id)/;
const seen = watchStatements('schedules_');
const asked = () => seen.splice(0).filter((sql) => !by_clock.test(sql));

const clock = new TestClock();
clock.set('2026-11-20T12:00:01.000Z');

await onEach(
  t,
  async (t, { platform, admin }) => {
    const table = await SchedulesTable.open(onPostgres(platform) ? platform.database_url : join(platform.data_dir, 'platform.db'));
    t.teardown(() => table.close());

    await t.test('a thousand runs that come together are claimed and ended many at a time', async (t) => {
      await table.fill(count);
      asked();
      await table.due(clock.now());
      await until(
        () => table.count("status = 'success'"),
        (ended) => ended === count,
      );
      const all = asked();
      t.ok(all.length < count / 2, `${all.length} statements for ${count} runs`);
    });

    // PostgreSQL plans by itself what it reads once.
    if (onPostgres(platform)) return;
    await t.test('no statement reads what it was given, or the history, over and over', async (t) => {
      await table.rows('UPDATE schedules_schedules SET enabled = 0, next_at = NULL');
      asked();
      await follow(admin);
      const all = [...new Set(asked())].filter((sql) => /json_each|UPDATE schedules_runs/.test(sql));
      t.ok(all.length > 5, `${all.length} statements`);
      for (const sql of all) await readsLittle(t, table, sql);
    });
  },
  { clock },
);

function onPostgres({ database_url }: TestPlatform): boolean {
  return database_url.startsWith('postgres');
}

/** A run that waits for the end of another. */
async function follow(admin: SchedulesClient): Promise<void> {
  const queued = await scheduled(admin, { trigger_value: '1m', overlap_policy: 'queue', params: { name: 'long', ms: 1_000 } });
  clock.move(60_000);
  await until(
    () => ledger.lines,
    (lines) => lines.includes('admin begins long'),
  );
  clock.move(60_000);
  await history(admin, queued, 2);
}

/** What is given as JSON is read once, and not anew for each row; and what has ended long ago is not looked at. */
async function readsLittle(t: Test, table: SchedulesTable, sql: string): Promise<void> {
  const plan = (await table.rows(`EXPLAIN QUERY PLAN ${sql}`)).map(({ detail }) => String(detail));
  const isFirst = !plan.slice(1).some((step) => step.includes('json_each'));
  t.ok(isFirst && !plan.join().includes('schedules_runs_history'), `${plan.join('; ')}: ${sql}`);
}
