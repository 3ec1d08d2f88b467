import pg from 'pg';
import sqlite3 from 'sqlite3';
import { parseAddress } from '../../../kernel/platform/data/address.js';

/** All rows of all tables, each as text, in an order of their own. */
export type Rows = ReadonlyMap<string, readonly string[]>;

/** Columns that change by themselves, whatever is asked. */
const unsteady: Readonly<Record<string, readonly string[]>> = {
  // A personal token that is refused for its scope was used all the same; it is noted to the minute.
  members_tokens: ['last_used_at', 'address'],
  members_logins: ['used_at', 'address'],
  // Engines that are away are asked again and again.
  nodes_nodes: ['owner', 'lease_until'],
  nodes_watch: ['owner', 'lease_until'],
};

type Ask = (sql: string) => Promise<Record<string, unknown>[]>;

/** Reads a database from outside of the platform that uses it. */
export class RowReader {
  readonly #ask: Ask;
  readonly #tables: string;
  readonly close: () => Promise<void>;

  private constructor(parts: { ask: Ask; tables: string; close: () => Promise<void> }) {
    this.#ask = parts.ask;
    this.#tables = parts.tables;
    this.close = parts.close;
  }

  static async open(database_url: string, data_dir: string): Promise<RowReader> {
    const address = parseAddress(database_url, data_dir);
    return address.dialect === 'sqlite' ? RowReader.#sqlite(address.file) : RowReader.#postgres(address.url);
  }

  static async #sqlite(file: string): Promise<RowReader> {
    const database = await new Promise<sqlite3.Database>((resolve, reject) => {
      const opened = new sqlite3.Database(file, sqlite3.OPEN_READONLY, (error) => (error ? reject(error) : resolve(opened)));
    });
    const ask: Ask = (sql) =>
      new Promise((resolve, reject) => {
        database.all<Record<string, unknown>>(sql, (error, rows) => (error ? reject(error) : resolve(rows)));
      });
    const close = () => new Promise<void>((resolve) => database.close(() => resolve()));
    return new RowReader({ ask, tables: "SELECT name FROM sqlite_master WHERE type = 'table'", close });
  }

  static async #postgres(connectionString: string): Promise<RowReader> {
    const client = new pg.Client({ connectionString });
    // The server may end before this does.
    client.on('error', () => undefined);
    await client.connect();
    const ask: Ask = async (sql) => (await client.query<Record<string, unknown>>(sql)).rows;
    const tables = "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'";
    return new RowReader({ ask, tables, close: () => client.end() });
  }

  /** @param only tables and columns to read, of those that exist; by default all */
  async read(only?: Readonly<Record<string, string>>): Promise<Rows> {
    const all = (await this.#ask(this.#tables)).map(({ name }) => String(name)).sort();
    const names = only ? all.filter((name) => Object.hasOwn(only, name)) : all;
    const rows = new Map<string, string[]>();
    for (const name of names) {
      const hidden = new Set(unsteady[name]);
      const found = await this.#ask(`SELECT ${only?.[name] ?? '*'} FROM "${name}"`);
      rows.set(name, found.map((row) => JSON.stringify(row, (key, value: unknown) => (hidden.has(key) ? undefined : value))).sort());
    }
    return rows;
  }
}

/** Tables whose rows are deleted by themselves within minutes. */
const passing: ReadonlySet<string> = new Set(['kernel_outbox']);

/** Returns rows that only one side has, table by table; empty if they are equal. */
export function difference(before: Rows, after: Rows): string[] {
  const tables = [...new Set([...before.keys(), ...after.keys()])];
  return tables.flatMap((table) => {
    const [was, is] = [before.get(table) ?? [], after.get(table) ?? []];
    return [
      ...(passing.has(table) ? [] : lacking(was, is)).map((row) => `${table} has lost ${row.slice(0, 500)}`),
      ...lacking(is, was).map((row) => `${table} has got ${row.slice(0, 500)}`),
    ];
  });
}

/** Those of `rows` that `others` lacks; equal ones are counted. */
function lacking(rows: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const row of others) left.set(row, (left.get(row) ?? 0) + 1);
  return rows.filter((row) => {
    const count = left.get(row) ?? 0;
    left.set(row, count - 1);
    return count <= 0;
  });
}
