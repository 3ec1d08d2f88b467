import { setTimeout } from 'node:timers/promises';
import type { CheckResult } from '../../contract/extension.js';
import type { Address } from '../data/address.js';
import type { Data } from '../data/hub.js';
import { lockHolder } from '../data/lock-holder.js';
import { readBlocker } from './server-sql.js';

/** Offset in the `-shm` file of the byte that a writer locks (SQLite's `wal.c`). */
const write_lock_byte = 120;
/** Time above which a write lock is unusual. */
const max_write_ms = 1_000;

const free: CheckResult = { ok: true, message: 'No other program keeps the database locked' };

/** Checks that no other program blocks the platform's writes. */
export function databaseHeld(data: Pick<Data, 'facade'>, address: Address): Promise<CheckResult> {
  return address.dialect === 'sqlite' ? fileHeld(address.file) : serverHeld(data);
}

async function fileHeld(file: string): Promise<CheckResult> {
  const findHolder = () => lockHolder(`${file}-shm`, write_lock_byte);
  const first = await findHolder();
  if (!first) return free;
  await setTimeout(max_write_ms);
  const holder = await findHolder();
  if (holder?.pid !== first.pid) return free;
  const { pid, name, since } = holder;
  return { ok: false, message: `The database ${file} is locked by process ${pid} (${name})`, since, fix: `end it with: kill ${pid}` };
}

async function serverHeld(data: Pick<Data, 'facade'>): Promise<CheckResult> {
  const found = await readBlocker(data.facade('kernel'), max_write_ms);
  if (!found) return free;
  const { pid, name, since } = found;
  const message = `The PostgreSQL process ${pid} (${name || 'no name'}) holds a lock on the database that blocks others`;
  const fix = `end its session with: psql "$PLATFORM_DATABASE_URL" -c 'SELECT pg_terminate_backend(${pid})'`;
  return { ok: false, message, fix, ...(since === null ? {} : { since: new Date(since).toISOString() }) };
}
