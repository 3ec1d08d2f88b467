import { failMove } from './codes.js';
import type { Source } from './source-sql.js';
import { inOrder, type Table } from './table.js';
import type { Target } from './target-sql.js';
import { chunks_table } from './target-sql.js';

/** Returns the tables to copy, in an order that their foreign keys allow. Fails with `move_tables_differ`. */
export async function tablesOf(source: Source, target: Target): Promise<Table[]> {
  const sourceTables = await source.tables();
  const excluded = new Set([...(await source.indexes()), chunks_table]);
  const targetNames = (await target.names()).filter((name) => !excluded.has(name));
  const unmatched =
    targetNames.find((name) => !sourceTables.has(name)) ??
    [...sourceTables.keys()].find((name) => !excluded.has(name) && !targetNames.includes(name));
  if (unmatched !== undefined) throw failMove('move_tables_differ', `The table '${unmatched}' is in one of the databases only`);
  const tables = await target.tables(new Set(targetNames));
  for (const { name, columns } of tables) {
    const [inSource, inTarget] = [sourceTables.get(name) ?? [], columns.map((column) => column.name)];
    if (inSource.toSorted().join() !== inTarget.toSorted().join())
      throw failMove(
        'move_tables_differ',
        `The table '${name}' has the columns ${inSource.join()} in SQLite and ${inTarget.join()} in PostgreSQL`,
      );
  }
  return inOrder(tables, await target.references());
}

/** Counts the steps of a move: each row is copied and compared, and each blob moved. */
export async function stepsOf(source: Source, tables: readonly Table[]): Promise<number> {
  let rows = await source.count('kernel_blobs');
  for (const { name } of tables) rows += 2 * (await source.count(name));
  return rows;
}
