import { failMove } from './codes.js';
import type { Source } from './source-sql.js';
import { inOrder, type Table } from './table.js';
import type { Target } from './target-sql.js';
import { chunks_table } from './target-sql.js';

/** The tables to be copied, in an order that their foreign keys allow. Fails with `move_tables_differ`. */
export async function tablesOf(source: Source, target: Target): Promise<Table[]> {
  const here = await source.tables();
  const apart = new Set([...(await source.indexes()), chunks_table]);
  const there = (await target.names()).filter((name) => !apart.has(name));
  const alone = there.find((name) => !here.has(name)) ?? [...here.keys()].find((name) => !apart.has(name) && !there.includes(name));
  if (alone !== undefined) throw failMove('move_tables_differ', `The table '${alone}' is in one of the databases only`);
  const tables = await target.tables(new Set(there));
  for (const { name, columns } of tables) {
    const [left, right] = [here.get(name) ?? [], columns.map((column) => column.name)];
    if (left.toSorted().join() !== right.toSorted().join())
      throw failMove(
        'move_tables_differ',
        `The table '${name}' has the columns ${left.join()} in SQLite and ${right.join()} in PostgreSQL`,
      );
  }
  return inOrder(tables, await target.references());
}

/** How many rows are there to be done: each is copied and compared, and each blob moved. */
export async function stepsOf(source: Source, tables: readonly Table[]): Promise<number> {
  let rows = await source.count('kernel_blobs');
  for (const { name } of tables) rows += 2 * (await source.count(name));
  return rows;
}
