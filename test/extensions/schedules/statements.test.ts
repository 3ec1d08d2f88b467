import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { SqlValue } from '../../../kernel/contract/index.js';
import { Facade } from '../../../kernel/platform/data/facade.js';
import { SchedulesTable } from '../../bench/schedules-table.js';
import { until } from '../../helpers/eventually.js';
import { watchStatements } from '../chat/statements.js';
import { history, ledger, onEach, type SchedulesClient, scheduled, TestClock } from './world.js';

const count = 1_000;
/** Statements that run on a timer, however many schedules there are: reads that don't wait for writers. */
const by_clock = /^\s*SELECT 1 AS (?:due|ready|lapsed)/;
const seen = watchStatements('schedules_');
const asked = () => seen.splice(0).filter((sql) => !by_clock.test(sql));

const clock = new TestClock();
clock.set('2026-11-20T12:00:01.000Z');

await onEach(
  t,
  async (t, { platform, admin }) => {
    const { database_url, data_dir } = platform;
    const isPostgres = database_url.startsWith('postgres');
    const table = await SchedulesTable.open(isPostgres ? database_url : join(data_dir, 'platform.db'));
    t.teardown(() => table.close());
    const ended = (runs: number) =>
      until(
        () => table.count("status = 'success'"),
        (found) => found === runs,
      );

    await t.test('a thousand due runs are claimed and finished in batches', async (t) => {
      await table.fill(count);
      asked();
      await table.due(clock.now());
      await ended(count);
      const all = asked();
      t.ok(all.length < count / 2, `${all.length} statements for ${count} runs`);
    });

    await t.test('claiming and finishing runs reads no more with many open or finished runs', async (t) => {
      await table.rows(`INSERT INTO schedules_runs (schedule_id, status, cause, scheduled_for, started_at, finished_at, result, attempt)
        SELECT s.id, 'success', 'manual', 1, 1, 1, '', 1 FROM schedules_schedules s CROSS JOIN (${twenty()}) AS times`);
      // Statistics of a moment at which nothing is open.
      if (isPostgres) await table.rows('VACUUM ANALYZE schedules_runs');
      const plans = watchPlans();
      await table.rows(`UPDATE schedules_schedules SET next_at = ${clock.now()}`);
      await ended(count * 22);
      await follow(admin);
      (isPostgres ? postgresReadsLittle : sqliteReadsLittle)(t, plans.end());
    });
  },
  { clock },
);

function twenty(): string {
  return Array.from({ length: 20 }, (_, n) => `SELECT ${n} AS n`).join(' UNION ALL ');
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

type Asking = (this: Facade, sql: string, values?: readonly SqlValue[]) => Promise<object[]>;

/** How the database goes about each statement on runs from now on, by the statement; as it did last. */
function watchPlans(): { end: () => ReadonlyMap<string, string> } {
  const plans = new Map<string, string>();
  const asking = Facade.prototype as unknown as Record<'rows' | 'run', Asking>;
  const { rows, run } = asking;
  const explained = (original: Asking): Asking =>
    async function explain(sql, values) {
      if (/UPDATE schedules_|INSERT INTO schedules_runs/.test(sql)) {
        const plan = await rows.call(this, `EXPLAIN ${this.dialect === 'sqlite' ? 'QUERY PLAN' : ''} ${sql}`, values);
        plans.set(sql, plan.map((row) => Object.values(row).at(-1)).join('\n'));
      }
      return original.call(this, sql, values);
    };
  Object.assign(asking, { rows: explained(rows), run: explained(run) });
  const end = () => {
    Object.assign(asking, { rows, run });
    return plans;
  };
  return { end };
}

/** JSON parameters are parsed once, not for each row, and no history is scanned. */
function sqliteReadsLittle(t: Test, plans: ReadonlyMap<string, string>): void {
  t.ok(plans.size > 5, `${plans.size} statements`);
  for (const [sql, plan] of plans) {
    const jsonIsFirst = plan.lastIndexOf('json_each') <= plan.indexOf('json_each');
    t.ok(jsonIsFirst && !plan.includes('schedules_runs_history'), `${plan}: ${sql}`);
  }
}

/** Whatever its statistics say. */
function postgresReadsLittle(t: Test, plans: ReadonlyMap<string, string>): void {
  const planOf = (part: RegExp) => [...plans].find(([sql]) => part.test(sql))?.[1] ?? 'There is none';
  const claim = planOf(/ORDER BY j\.ready_at/);
  t.match(claim, /Index Scan using schedules_runs_ready/, 'queued runs are claimed in order');
  t.notMatch(claim, /Sort Key: [^\n]*ready_at/, 'the claim does not sort');
  t.match(planOf(/WITH held/), /schedules_runs_pkey/, 'finished runs are found by their ids');
  t.match(
    planOf(/last_status = /),
    /Index Cond: \(schedule_id = schedules_schedules\.id\)/,
    'the next run is found among those of its schedule',
  );
}
