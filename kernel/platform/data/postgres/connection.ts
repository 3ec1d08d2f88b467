import { createHash } from 'node:crypto';
import type { ClientBase, CustomTypesConfig, QueryResult } from 'pg';
import pg from 'pg';
import type { SqlValue, StatementOptions } from '../../../contract/data.js';
import type { Connection, ParseRows } from '../driver.js';

/** Types of `count(*)` and `sum(…)`, which the driver returns as text: converted to numbers, as on SQLite. */
const numeric = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

const types: CustomTypesConfig = {
  getTypeParser: (oid, format) => (numeric.has(oid) && format !== 'binary' ? toNumber : pg.types.getTypeParser(oid, format)),
};

/** Converts to a number; one too large to be exact stays text. */
function toNumber(text: string): number | string {
  const number = Number(text);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
}

/** A connection of the pool. */
export class PostgresConnection implements Connection {
  readonly native: ClientBase;

  constructor(native: ClientBase) {
    this.native = native;
  }

  async rows<Row extends object>(sql: string, values: readonly SqlValue[], options?: StatementOptions): Promise<Row[]> {
    return (await this.native.query<Row>({ ...textOf(sql, options), values: [...values], types })).rows;
  }

  async run(sql: string, values: readonly SqlValue[], options?: StatementOptions): Promise<number> {
    return (await this.native.query({ ...textOf(sql, options), values: [...values] })).rowCount ?? 0;
  }

  lend(parse: ParseRows): object {
    type Done = (error: Error | null, result?: QueryResult<object> | QueryResult<object>[]) => void;
    const query = (text: string, values: unknown[] | Done, done?: Done): void => {
      const [bindings, callback] = Array.isArray(values) ? [values, done as Done] : [[], values];
      this.native.query<object>(
        { text, values: bindings, types },
        (error: Error | null, result?: QueryResult<object> | QueryResult<object>[]) => {
          // A text with several statements returns several results.
          for (const { rows } of [result ?? []].flat()) parse(rows);
          callback(error, result);
        },
      );
    };
    return { query };
  }
}

/** Names frequent statements, so that they stay prepared on the connection. */
function textOf(text: string, { often = false }: StatementOptions = {}): { name?: string; text: string } {
  return often ? { name: createHash('sha256').update(text).digest('hex').slice(0, 40), text } : { text };
}
