import pg from 'pg';
import type { SqlValue } from '../../../contract/data.js';
import type { Entry } from '../archive.js';
import type { Snapshot } from '../driver.js';
import { PostgresConnection } from './connection.js';
import { readSchema } from './schema.js';

/** Rows and bytes per batch, to limit memory. */
const portion_rows = 500;
const portion_bytes = 1024 * 1024;
/** Table whose content is stored in the archive as files. */
const blob_chunks = 'kernel_blob_chunks';

/** Runs work in one read-only snapshot transaction. It has no transaction id, so no event delivery waits for it. */
export async function withSnapshot<T>(client: pg.Client, signal: AbortSignal, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  for (const setting of ['statement_timeout', 'idle_in_transaction_session_timeout']) await client.query(`SET LOCAL ${setting} = 0`);
  await client.query("SET LOCAL bytea_output = 'hex'");
  // The first query takes the snapshot.
  await client.query('SELECT 1 FROM kernel_migrations LIMIT 1');
  return work(new PostgresSnapshot(new PostgresConnection(client), signal));
}

class PostgresSnapshot implements Snapshot {
  readonly tables: Record<string, number> = {};
  readonly #connection: PostgresConnection;
  readonly #signal: AbortSignal;

  constructor(connection: PostgresConnection, signal: AbortSignal) {
    this.#connection = connection;
    this.#signal = signal;
  }

  rows<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    return this.#connection.rows<Row>(sql, values);
  }

  /** Returns the size of the tables in the database. */
  async size(): Promise<number> {
    const [row] = await this.rows<{ bytes: string }>(
      "SELECT COALESCE(SUM(pg_table_size(oid)), 0) AS bytes FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> $1",
      [blob_chunks],
    );
    return Number(row?.bytes ?? 0);
  }

  async *entries(): AsyncGenerator<Entry> {
    const schema = await readSchema((sql, values = []) => this.#connection.rows(sql, values));
    yield bufferEntry('schema.json', Buffer.from(`${JSON.stringify(schema)}\n`));
    for (const { name } of schema.tables) {
      if (name !== blob_chunks) yield* this.#table(name);
    }
  }

  async *#table(name: string): AsyncGenerator<Entry> {
    this.tables[name] = 0;
    let lines: string[] = [];
    let size = 0;
    let number = 0;
    const entry = () => {
      number += 1;
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      lines = [];
      size = 0;
      return bufferEntry(`tables/${name}/${String(number).padStart(6, '0')}.jsonl`, bytes);
    };
    for await (const line of this.#lines(name)) {
      this.tables[name] += 1;
      lines.push(line);
      size += line.length;
      if (size >= portion_bytes) yield entry();
    }
    if (lines.length > 0) yield entry();
  }

  async *#lines(name: string): AsyncGenerator<string> {
    const table = pg.escapeIdentifier(name);
    await this.#connection.run(`DECLARE backup NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS line FROM ${table} t`, []);
    for (;;) {
      this.#signal.throwIfAborted();
      const rows = await this.#connection.rows<{ line: string }>(`FETCH ${portion_rows} FROM backup`, []);
      for (const { line } of rows) yield line;
      if (rows.length < portion_rows) break;
    }
    await this.#connection.run('CLOSE backup', []);
  }
}

function bufferEntry(name: string, bytes: Buffer): Entry {
  return { name, bytes: bytes.byteLength, content: [bytes] };
}
