import type { CheckResult, Clock } from '../../contract/extension.js';
import type { Data } from '../data/hub.js';

/** Writing transactions take less. */
const usual_ms = 30_000;

interface Holder {
  /** Null where it is no session's: a prepared transaction. */
  pid: number | null;
  database: string | null;
  name: string | null;
  since: Date | string | null;
}

/** The oldest transaction that writes, on the whole server, where it keeps events that were emitted before a time from their listeners. */
const holders = `SELECT a.pid, a.datname AS database, a.application_name AS name, a.xact_start AS since
  FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS txid) oldest LEFT JOIN pg_stat_activity a ON a.backend_xid = oldest.txid::xid
  WHERE EXISTS (SELECT 1 FROM kernel_outbox o WHERE o.topic IN (SELECT topic FROM kernel_listeners)
    AND o.txid >= oldest.txid::text::bigint AND o.emitted_at < $1) LIMIT 1`;

/** Whether an open transaction keeps events from being delivered: they go out in the order of transactions. SQLite has one writer alone. */
export async function eventsHeld(data: Pick<Data, 'dialect' | 'facade'>, clock: Pick<Clock, 'now'>): Promise<CheckResult | undefined> {
  if (data.dialect === 'sqlite') return undefined;
  const before = new Date(clock.now() - usual_ms).toISOString();
  const [found] = await data.facade('kernel').rows<Holder>(holders, [before]);
  if (!found) return { ok: true, message: 'No transaction keeps events from being delivered' };
  const { pid, database, name, since } = found;
  if (pid === null) {
    const fix = `find it with: psql "$PLATFORM_DATABASE_URL" -c 'TABLE pg_prepared_xacts', and end it there with ROLLBACK PREPARED`;
    return { ok: false, message: 'Events wait for a transaction of the PostgreSQL server that no session has', fix };
  }
  const message = `Events wait for a transaction of the PostgreSQL process ${pid} (${name || 'no name'}, database ${database})`;
  const fix = `end its session with: psql "$PLATFORM_DATABASE_URL" -c 'SELECT pg_terminate_backend(${pid})'`;
  return { ok: false, message, fix, ...(since === null ? {} : { since: new Date(since).toISOString() }) };
}
