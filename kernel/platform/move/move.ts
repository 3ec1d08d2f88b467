import type { Migration } from '../../contract/data.js';
import type { Clock, Log } from '../../contract/extension.js';
import { moveBlobs } from './blobs.js';
import { compareTable } from './compare.js';
import { copyTable, type Ends } from './copy.js';
import { explainTarget } from './explain.js';
import { stepsOf, tablesOf } from './pairing.js';
import { Source } from './source.js';
import type { MovedTable } from './table.js';
import { Target } from './target.js';
import { assertSame } from './versions.js';

export interface MoveOptions {
  /** The SQLite file; nobody else has its data folder open. */
  file: string;
  /** The folder with its blobs. */
  data_dir: string;
  /** An empty PostgreSQL database, `postgres://…`. */
  url: string;
  /** What this program knows of migrations, by owner; `kernel` among them. */
  migrations: (source: Source) => Promise<ReadonlyMap<string, readonly Migration[]>>;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** Told how many rows of how many are done: each is copied and compared. */
  progress?: (done: number, total: number) => void;
}

export interface Moved {
  /** Each of them compared row by row; the blobs' bytes among them, under the table that holds them. */
  tables: MovedTable[];
  /** Blobs that somebody holds, and that were absent or damaged before. */
  missing_blobs: string[];
}

/**
 * Moves an installation from a SQLite file to an empty PostgreSQL database. The tables are made by the migrations, then
 * filled, and then compared with the source row by row, all in one transaction: where anything differs or ends it, the
 * target is as empty as before. The source is only read.
 *
 * Fails with the codes of this folder, with `schema_newer` and `database_corrupt`.
 */
export async function moveToPostgres(options: MoveOptions): Promise<Moved> {
  const source = await Source.open(options.file);
  try {
    const migrations = await options.migrations(source);
    await assertSame(source, migrations);
    const begun = { copying: false };
    return await Target.fill(options, (target) => {
      begun.copying = true;
      return fill({ source, target, migrations }, options);
    }).catch((fault: unknown) => {
      options.signal.throwIfAborted();
      throw explainTarget(fault, begun);
    });
  } finally {
    await source.close();
  }
}

interface Work {
  source: Source;
  target: Target;
  migrations: ReadonlyMap<string, readonly Migration[]>;
}

async function fill({ source, target, migrations }: Work, { data_dir, signal, progress }: MoveOptions): Promise<Moved> {
  await target.assertEmpty();
  for (const [owner, known] of migrations) await target.migrate(owner, known);
  await target.clear(await target.names());
  const tables = await tablesOf(source, target);
  const total = await stepsOf(source, tables);
  let done = 0;
  const ends: Ends = {
    source,
    target,
    progress(rows) {
      signal.throwIfAborted();
      done += rows;
      progress?.(done, total);
    },
  };
  for (const table of tables) await copyTable(table, ends);
  const { missing, ...blobs } = await moveBlobs(data_dir, ends);
  const compared: MovedTable[] = [];
  for (const table of tables) compared.push(await compareTable(table, ends));
  await target.number((table) => source.position(table));
  for (const known of migrations.values()) await target.moved(known);
  await target.run('ANALYZE');
  signal.throwIfAborted();
  return { tables: [...compared, blobs].sort((a, b) => (a.table < b.table ? -1 : 1)), missing_blobs: missing };
}
