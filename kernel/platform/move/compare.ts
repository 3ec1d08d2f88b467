import { createHash } from 'node:crypto';
import { failMove } from './codes.js';
import type { Value } from './column.js';
import { type MoveContext, readSource } from './copy.js';
import type { MovedTable, Table } from './table.js';

/** Rows and digest of one side of a table. */
class Side {
  readonly #rows: AsyncGenerator<Value[]>;
  readonly #sha256 = createHash('sha256');
  count = 0;

  constructor(rows: AsyncGenerator<Value[]>) {
    this.#rows = rows;
  }

  async next(): Promise<string | undefined> {
    const { done, value } = await this.#rows.next();
    if (done) return undefined;
    const row = JSON.stringify(value);
    this.#sha256.update(row).update('\n');
    this.count += 1;
    return row;
  }

  digest(): string {
    return this.#sha256.digest('hex');
  }

  /** Closes its rows, even before the last one. */
  async end(): Promise<void> {
    await this.#rows.return(undefined);
  }
}

/**
 * Reads both sides of a table side by side in the order of its key: how many rows each has, and a hash over them.
 * Fails with `move_differs`, which names both hashes and the first row that differs.
 */
export async function compareTable(table: Table, { source, target, progress }: MoveContext): Promise<MovedTable> {
  const [sqlite, postgres] = [new Side(readSource(table, source)), new Side(target.read(table))];
  const different = await firstDifference({ sqlite, postgres }, progress);
  const [sha256, postgres_sha256] = [sqlite.digest(), postgres.digest()];
  if (different !== undefined)
    throw failMove(
      'move_differs',
      `The table '${table.name}' is not the same: ${sqlite.count} rows with the hash ${sha256} in SQLite, ${postgres.count} with ${postgres_sha256} in PostgreSQL; the first different row has ${keyOf(table, different)}`,
      { fix: 'look for triggers and rules in that database that change written rows, and run it again' },
    );
  return { table: table.name, rows: sqlite.count, sha256 };
}

/** Reads both sides to their ends; returns the first row that differs. */
async function firstDifference(
  { sqlite, postgres }: { sqlite: Side; postgres: Side },
  progress: MoveContext['progress'],
): Promise<string | undefined> {
  let different: string | undefined;
  try {
    for (;;) {
      const [left, right] = [await sqlite.next(), await postgres.next()];
      const row = left ?? right;
      if (row === undefined) return different;
      if (left !== right) different ??= row;
      progress(left === undefined ? 0 : 1);
    }
  } finally {
    await sqlite.end();
  }
}

function keyOf({ columns, key }: Table, row: string): string {
  const values = JSON.parse(row) as Value[];
  return key.map((part) => `${part.name} ${JSON.stringify(values[columns.indexOf(part)])}`.slice(0, 100)).join(', ');
}
