import { setTimeout } from 'node:timers/promises';
import type { CheckResult } from '../../contract/extension.js';
import type { Address } from '../data/address.js';
import type { Data } from '../data/hub.js';
import { lockHolder } from '../data/lock-holder.js';

/** Of the file beside the database through which its programs agree: held by the one that writes (SQLite's `wal.c`). */
const write_lock_byte = 120;
/** Writing takes less. */
const usual_ms = 1_000;

const free: CheckResult = { ok: true, message: 'No other program keeps the database locked' };

/** Whether somebody keeps the platform from writing. */
export function databaseHeld(data: Pick<Data, 'facade'>, address: Address): Promise<CheckResult> {
  return address.dialect === 'sqlite' ? fileHeld(address.file) : serverHeld(data);
}

async function fileHeld(file: string): Promise<CheckResult> {
  const look = () => lockHolder(`${file}-shm`, write_lock_byte);
  const first = await look();
  if (!first) return free;
  await setTimeout(usual_ms);
  const holder = await look();
  if (holder?.pid !== first.pid) return free;
  const { pid, name, since } = holder;
  return { ok: false, message: `The database ${file} is locked by process ${pid} (${name})`, since, fix: `end it with: kill ${pid}` };
}

interface Blocker {
  pid: number;
  name: string;
  since: Date | string | null;
}

/** Locks by name (`advisory`) are the platform's own: whoever waits for one of those waits for its work. */
const blockers = `SELECT pid, application_name AS name, xact_start AS since FROM pg_stat_activity WHERE pid IN (
  SELECT unnest(pg_blocking_pids(pid)) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    AND wait_event <> 'advisory' AND query_start < clock_timestamp() - interval '${usual_ms} milliseconds') ORDER BY xact_start LIMIT 1`;

async function serverHeld(data: Pick<Data, 'facade'>): Promise<CheckResult> {
  const [found] = await data.facade('kernel').rows<Blocker>(blockers);
  if (!found) return free;
  const { pid, name, since } = found;
  const message = `The database is locked by the PostgreSQL process ${pid} (${name || 'no name'}), for which others wait`;
  const fix = `end its session with: psql "$PLATFORM_DATABASE_URL" -c 'SELECT pg_terminate_backend(${pid})'`;
  return { ok: false, message, fix, ...(since === null ? {} : { since: new Date(since).toISOString() }) };
}
