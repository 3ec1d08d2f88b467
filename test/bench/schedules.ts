import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { findPart } from '../helpers/parts.js';
import { startOwnPostgres } from '../helpers/postgres.js';
import { Child } from './child.js';
import { claimByHand } from './limits/claims.js';
import type { SchedulesUse } from './schedules-server.js';
import { SchedulesTable } from './schedules-table.js';
import { percentile } from './statistics.js';

const at_once = 10_000;
const at_rest = 100_000;
/** The median of these windows is the cost at rest: in one or two of them V8 still collects the garbage of the runs before. */
const rest = { windows: 5, window_ms: 6_000 };
const patience_ms = 60_000;

interface Place {
  database: string;
  data_dir: string;
  database_url: string;
}

/** Ten thousand schedules that are due at one moment, also where the server is killed meanwhile; a hundred thousand that rest. */
export async function schedules(): Promise<Record<string, unknown>[]> {
  const found = await inFolder((data_dir) => measure({ database: 'sqlite', data_dir, database_url: 'sqlite:' }));
  if (!findPart('postgres', {})) return found;
  const server = await startOwnPostgres();
  try {
    const database_url = await server.fresh();
    return [...found, ...(await inFolder((data_dir) => measure({ database: 'postgres', data_dir, database_url })))];
  } finally {
    await server.dispose();
  }
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function measure(place: Place): Promise<Record<string, unknown>[]> {
  const { database, data_dir, database_url } = place;
  let server = await started(place);
  const table = await SchedulesTable.open(database_url.startsWith('postgres') ? database_url : join(data_dir, 'platform.db'));
  try {
    await table.fill(at_once);
    const together = await allAtOnce(table, server.child);
    const killed = await killedMidway(table, server.child, async () => {
      server = await started(place);
    });
    const rest = await atRest(table, server);
    const hand = await byHand(table);
    return [{ ...together, ...hand }, killed, rest].map((row) => ({ database, ...row }));
  } finally {
    await table.close();
    await server.child.stop();
  }
}

interface Server {
  child: Child;
  url: string;
  token: string;
}

async function started({ data_dir, database_url }: Place): Promise<Server> {
  const { child, ready } = await Child.start<Omit<Server, 'child'>>('./schedules-server.js', [data_dir, database_url]);
  return { child, ...ready };
}

async function allAtOnce(table: SchedulesTable, child: Child): Promise<Record<string, unknown>> {
  const due = Date.now() + 2_000;
  await table.due(due);
  await child.ask<SchedulesUse>('use');
  await sleep(due - Date.now());
  // The rows of the 99th of a hundred: what the look for them costs the platform is counted too.
  const claimed_ms_p99 = (await reached(table, '1 = 1', at_once * 0.99)) - due;
  await reached(table, "status = 'success'", at_once);
  const { loop_delay_ms_p99, max_at_once } = await child.ask<SchedulesUse>('use');
  const rows = await table.rows('SELECT schedule_id, started_at, scheduled_for FROM schedules_runs');
  const waited = rows.map(({ started_at, scheduled_for }) => Number(started_at) - Number(scheduled_for));
  return {
    case: `${at_once} due at once`,
    surplus: rows.length - new Set(rows.map(({ schedule_id }) => schedule_id)).size,
    claimed_ms_p99,
    started_ms_p50: percentile(waited, 0.5),
    started_ms_p99: percentile(waited, 0.99),
    loop_delay_ms_p99,
    max_at_once,
  };
}

/** The limit of claims: the fewest statements that leave the same rows. The platform sees nothing due in their time. */
async function byHand(table: SchedulesTable): Promise<Record<string, unknown>> {
  const at = Date.now() + 10 * 86_400_000;
  await table.due(2 * at);
  await table.dueFirst(at_once, at);
  const begun = performance.now();
  const limit_claimed = await claimByHand(table, at);
  return { limit_claimed, limit_claimed_and_ended_ms: performance.now() - begun };
}

async function killedMidway(table: SchedulesTable, child: Child, again: () => Promise<void>): Promise<Record<string, unknown>> {
  const due = Date.now() + 2_000;
  await table.due(due);
  await reached(table, "status = 'success'", at_once / 4);
  await child.kill();
  const finished = await table.count("status = 'success'");
  await again();
  await reached(table, 'finished_at IS NOT NULL', at_once);
  const [{ schedules: with_row = 0 } = {}] = await table.rows('SELECT count(DISTINCT schedule_id) AS schedules FROM schedules_runs');
  return {
    case: 'killed midway',
    finished_before: finished,
    without_row: at_once - Number(with_row),
    surplus: (await table.count('1 = 1')) - at_once,
    left_open: await table.count("status IN ('queued', 'running')"),
    interrupted: await table.count("error_code = 'interrupted'"),
  };
}

async function atRest(table: SchedulesTable, { child, url, token }: Server): Promise<Record<string, unknown>> {
  await table.fill(at_rest);
  await table.due(Date.now() + 86_400_000);
  await table.tidy();
  await child.ask<SchedulesUse>('rest');
  const used: number[] = [];
  for (let n = 0; n < rest.windows; n += 1) {
    await sleep(rest.window_ms);
    used.push((await child.ask<SchedulesUse>('use')).cpu_percent);
  }
  const took: number[] = [];
  for (let n = 0; n < 200; n += 1) {
    const began = performance.now();
    const { body } = await request(`${url}/api/admin/schedules?limit=20`, { headers: { authorization: `Bearer ${token}` } });
    await body.dump();
    took.push(performance.now() - began);
  }
  return {
    case: `${at_rest} at rest`,
    cpu_percent: percentile(used, 0.5),
    list_ms_p50: percentile(took, 0.5),
    list_ms_p95: percentile(took, 0.95),
  };
}

/** When there are so many runs of a kind, in ms since the epoch. */
async function reached(table: SchedulesTable, where: string, count: number): Promise<number> {
  const end = Date.now() + patience_ms;
  for (let found = 0; found < count; found = await table.count(where)) {
    if (Date.now() > end) throw new Error(`Only ${found} of ${count} runs are there where ${where}`);
    await sleep(25);
  }
  return Date.now();
}
