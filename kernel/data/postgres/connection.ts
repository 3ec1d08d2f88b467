import type { ClientBase, CustomTypesConfig } from 'pg';
import pg from 'pg';
import type { SqlValue } from '../../contract/data.js';
import type { Connection } from '../driver.js';

/** `count(*)` and `sum(…)` come as 64-bit integers and decimals, which the driver leaves as text: numbers, as on SQLite. */
const numeric = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

const types: CustomTypesConfig = {
  getTypeParser: (oid, format) => (numeric.has(oid) && format !== 'binary' ? toNumber : pg.types.getTypeParser(oid, format)),
};

/** A number too large to be exact stays text. */
function toNumber(text: string): number | string {
  const number = Number(text);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
}

/** One connection of the pool. */
export class PostgresConnection implements Connection {
  readonly native: ClientBase;

  constructor(native: ClientBase) {
    this.native = native;
  }

  async rows<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    return (await this.native.query<Row>({ text: sql, values: [...values], types })).rows;
  }

  async run(sql: string, values: readonly SqlValue[]): Promise<number> {
    return (await this.native.query({ text: sql, values: [...values] })).rowCount ?? 0;
  }

  /** Keeps the statement ready on this connection under a name. */
  async prepared<Row extends object>(name: string, sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    return (await this.native.query<Row>({ name, text: sql, values: [...values], types })).rows;
  }
}
