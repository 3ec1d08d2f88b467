import { createHash } from 'node:crypto';
import { failMove } from './codes.js';
import type { Value } from './column.js';
import { type Ends, readSource } from './copy.js';
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

  sum(): string {
    return this.#sha256.digest('hex');
  }

  /** Lets go of what it reads from, wherever it stands. */
  async end(): Promise<void> {
    await this.#rows.return(undefined);
  }
}

/**
 * Reads both sides of a table side by side in the order of its key: how many rows each has, and a hash over them.
 * Fails with `move_differs`, which names both and the first row that is another one.
 */
export async function compareTable(table: Table, { source, target, progress }: Ends): Promise<MovedTable> {
  const [here, there] = [new Side(readSource(table, source)), new Side(target.read(table))];
  const different = await firstDifference({ here, there }, progress);
  const [sha256, other] = [here.sum(), there.sum()];
  if (different !== undefined)
    throw failMove(
      'move_differs',
      `The table '${table.name}' is not the same: ${here.count} rows with the hash ${sha256} in SQLite, ${there.count} with ${other} in PostgreSQL; they part at ${keyOf(table, different)}`,
      { fix: 'see what in that database changes what is written (triggers, rules), and run it again' },
    );
  return { table: table.name, rows: here.count, sha256 };
}

/** Reads both to their ends; gives the first row that only one of them has there. */
async function firstDifference({ here, there }: { here: Side; there: Side }, progress: Ends['progress']): Promise<string | undefined> {
  let different: string | undefined;
  try {
    for (;;) {
      const [left, right] = [await here.next(), await there.next()];
      const row = left ?? right;
      if (row === undefined) return different;
      if (left !== right) different ??= row;
      progress(left === undefined ? 0 : 1);
    }
  } finally {
    await here.end();
  }
}

function keyOf({ columns, key }: Table, row: string): string {
  const values = JSON.parse(row) as Value[];
  return key.map((part) => `${part.name} ${JSON.stringify(values[columns.indexOf(part)])}`.slice(0, 100)).join(', ');
}
