import { insertion } from '../data/postgres/insertion.js';
import { failMove } from './codes.js';
import type { Value } from './column.js';
import type { Source } from './source-sql.js';
import type { Table } from './table.js';
import type { Target } from './target-sql.js';
import { fromSqlite, UnstorableValue } from './value.js';

/** Limits of one statement: characters of JSON, and rows. */
const max_characters = 1024 * 1024;
const max_rows = 1_000;

export interface MoveContext {
  source: Source;
  target: Target;
  /** Reports rows that are done. Throws if the move must stop. */
  progress: (rows: number) => void;
}

/** Copies the rows of a table in batches. Fails with `move_value_refused`. */
export async function copyTable(table: Table, { source, target, progress }: MoveContext): Promise<void> {
  const sql = insertion(
    table.name,
    table.columns.map(({ name }) => name),
  );
  let batch: string[] = [];
  let characters = 0;
  const flush = async () => {
    if (batch.length > 0) await target.run(sql, [`[${batch.join(',')}]`]);
    progress(batch.length);
    batch = [];
    characters = 0;
  };
  for await (const values of readSource(table, source)) {
    const row = JSON.stringify(Object.fromEntries(table.columns.map(({ name }, index) => [name, values[index]])));
    batch.push(row);
    characters += row.length;
    if (characters >= max_characters || batch.length >= max_rows) await flush();
  }
  await flush();
}

/** The rows of the source in the form to compare by. */
export async function* readSource(table: Table, source: Source): AsyncGenerator<Value[]> {
  for await (const row of source.read(table)) yield table.columns.map((column, index) => valueAt(table, row, { column, index }));
}

function valueAt(table: Table, row: readonly unknown[], { column, index }: { column: Table['columns'][number]; index: number }): Value {
  const value = fromSqlite(row[index], column);
  if (!(value instanceof UnstorableValue)) return value;
  const key = table.key.map((part) => `${part.name} ${JSON.stringify(row[table.columns.indexOf(part)])}`).join(', ');
  throw failMove(
    'move_value_refused',
    `The column '${column.name}' of '${table.name}' can't be moved in the row with ${key.slice(0, 300)}: its value ${value.reason}`,
    { fix: `change or delete that row; the SQLite file is as it was` },
  );
}
