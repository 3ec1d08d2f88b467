import type { CheckResult, Clock } from '../../contract/extension.js';
import type { Data } from '../data/hub.js';
import { readEventsHolder } from './server-sql.js';

/** Time above which an open writing transaction is unusual. */
const max_transaction_ms = 30_000;

/** Checks that no open transaction holds back events, which are delivered in the order of transactions. Not needed with SQLite's single writer. */
export async function eventsHeld(data: Pick<Data, 'dialect' | 'facade'>, clock: Pick<Clock, 'now'>): Promise<CheckResult | undefined> {
  if (data.dialect === 'sqlite') return undefined;
  const before = new Date(clock.now() - max_transaction_ms).toISOString();
  const found = await readEventsHolder(data.facade('kernel'), before);
  if (!found) return { ok: true, message: 'No open transaction holds back events' };
  const { pid, database, name, since } = found;
  if (pid === null) {
    const fix = `find it with: psql "$PLATFORM_DATABASE_URL" -c 'TABLE pg_prepared_xacts', and end it there with ROLLBACK PREPARED`;
    return { ok: false, message: 'Events wait for a prepared transaction of the PostgreSQL server, which has no session', fix };
  }
  const message = `Events wait for a transaction of the PostgreSQL process ${pid} (${name || 'no name'}, database ${database})`;
  const fix = `end its session with: psql "$PLATFORM_DATABASE_URL" -c 'SELECT pg_terminate_backend(${pid})'`;
  return { ok: false, message, fix, ...(since === null ? {} : { since: new Date(since).toISOString() }) };
}
