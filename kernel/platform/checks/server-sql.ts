import type { Database } from '../../contract/data.js';
import { databaseNow } from '../../contract/sql.js';

// Plain SQL: all of these query the catalogs of a PostgreSQL server, or its clock.

/** A session of the server. */
export interface Session {
  pid: number;
  name: string | null;
  /** Start of its transaction. */
  since: Date | string | null;
}

/**
 * Reads the session that has blocked others by a lock for `waited_ms`. Advisory locks are excluded: they are the platform's own, and
 * waiting for one means waiting for its work.
 */
export async function readBlocker(db: Database, waited_ms: number): Promise<Session | undefined> {
  const sql = `SELECT pid, application_name AS name, xact_start AS since FROM pg_stat_activity WHERE pid IN (
    SELECT unnest(pg_blocking_pids(pid)) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      AND wait_event <> 'advisory' AND query_start < clock_timestamp() - interval '${waited_ms} milliseconds') ORDER BY xact_start LIMIT 1`;
  return (await db.rows<Session>(sql))[0];
}

/** The session of a transaction; all null for a prepared transaction, which has none. */
export type Writer = { [Key in keyof Session]: Session[Key] | null } & { database: string | null };

/** Reads the oldest writing transaction of the whole server, if it holds back events emitted before a time. */
export async function readEventsHolder(db: Database, before: string): Promise<Writer | undefined> {
  const sql = `SELECT a.pid, a.datname AS database, a.application_name AS name, a.xact_start AS since
    FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS txid) oldest LEFT JOIN pg_stat_activity a ON a.backend_xid = oldest.txid::xid
    WHERE EXISTS (SELECT 1 FROM kernel_outbox o WHERE o.topic IN (SELECT topic FROM kernel_listeners)
      AND o.txid >= oldest.txid::text::bigint AND o.emitted_at < $1) LIMIT 1`;
  return (await db.rows<Writer>(sql, [before]))[0];
}

/** Counts the other instances on this database by the application name that `openData` sets; commands have another one. */
export async function countInstances(db: Database, instance: string): Promise<number> {
  const sql = `SELECT count(DISTINCT application_name) AS found FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'platform %' AND application_name <> $1`;
  return Number((await db.rows<{ found: number }>(sql, [`platform ${instance}`]))[0]?.found ?? 0);
}

/** Reads the database's clock, in ms since the epoch. */
export async function readClock(db: Database): Promise<number> {
  return Number((await db.rows<{ now: number }>(`SELECT ${databaseNow(db)} AS now`))[0]?.now);
}
