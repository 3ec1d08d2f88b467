import type { Migration } from '../../contract/data.js';
import type { Clock, Log } from '../../contract/extension.js';
import { isFailure } from '../../contract/failure.js';
import { codeOf, reasonOf } from '../data/failures.js';
import { moveBlobs } from './blobs.js';
import { failMove } from './codes.js';
import { compareTable } from './compare.js';
import { copyTable, type MoveContext } from './copy.js';
import { stepsOf, tablesOf } from './pairing.js';
import { Source } from './source-sql.js';
import type { MovedTable } from './table.js';
import { Target } from './target-sql.js';
import { assertSame } from './versions.js';

/** Explains a fault of the target's database or of the connection to it; returns other failures unchanged. */
function explainTarget(thrown: unknown, { copying }: { copying: boolean }): unknown {
  const cause = isFailure(thrown) && thrown.cause !== undefined ? thrown.cause : thrown;
  const [code, reason] = [codeOf(cause), reasonOf(cause)];
  if (/^28/.test(code))
    return failMove('move_target_denied', `The PostgreSQL server refuses the login: ${reason}`, { cause, fix: loginFix });
  if (code === '42501')
    return failMove('move_target_denied', `The user lacks a permission in the database: ${reason}`, { cause, fix: ownerFix });
  if (code === '3D000')
    return failMove('move_target_missing', `There is no such database: ${reason}`, { cause, fix: 'create it with: createdb <name>' });
  if (/^53[12]00$/.test(code))
    return failMove('move_target_full', `The PostgreSQL server has no space left: ${reason}`, { cause, fix: spaceFix });
  if (!isFailure(thrown) || thrown.code !== 'database_unavailable') return thrown;
  if (copying)
    return failMove('move_cut', `The connection to the PostgreSQL server was lost during the move: ${reason}`, { cause, fix: retryFix });
  return failMove('move_target_unreachable', `The PostgreSQL server can't be reached: ${reason}`, {
    cause,
    fix: 'check the address, and that the server runs',
  });
}

const loginFix = 'check the user, the password, and what its pg_hba.conf allows';
const ownerFix = 'make it the owner with: ALTER DATABASE <name> OWNER TO <user>';
const spaceFix = 'free space on the server, then run it again: nothing was moved';
const retryFix =
  'run it again: nothing was moved, unless the connection was lost while the server confirmed the end; then the database is complete and is refused as not empty';

export interface MoveOptions {
  /** The SQLite file; nobody else has its data folder open. */
  file: string;
  /** The folder with its blobs. */
  data_dir: string;
  /** An empty PostgreSQL database, `postgres://…`. */
  url: string;
  /** Migrations that this program knows, by owner; `kernel` is one. */
  migrations: (source: Source) => Promise<ReadonlyMap<string, readonly Migration[]>>;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  /** Reports how many rows of how many are done: each is copied and compared. */
  progress?: (done: number, total: number) => void;
}

export interface Moved {
  /** All tables, compared row by row, including that of the blobs' bytes. */
  tables: MovedTable[];
  /** Blobs in use whose files were missing or damaged before the move. */
  missing_blobs: string[];
}

/**
 * Moves an installation from a SQLite file to an empty PostgreSQL database. The tables are made by the migrations, then
 * filled, and then compared with the source row by row, all in one transaction: if anything differs or fails, the
 * target is as empty as before. The source is only read.
 *
 * Fails with the codes of this folder, with `schema_newer` and `database_corrupt`.
 */
export async function moveToPostgres(options: MoveOptions): Promise<Moved> {
  const source = await Source.open(options.file);
  try {
    const migrations = await options.migrations(source);
    await assertSame(source, migrations);
    const state = { copying: false };
    return await Target.fill(options, (target) => {
      state.copying = true;
      return fill({ source, target, migrations }, options);
    }).catch((fault: unknown) => {
      options.signal.throwIfAborted();
      throw explainTarget(fault, state);
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
  const context: MoveContext = {
    source,
    target,
    progress(rows) {
      signal.throwIfAborted();
      done += rows;
      progress?.(done, total);
    },
  };
  for (const table of tables) await copyTable(table, context);
  const { missing, ...blobs } = await moveBlobs(data_dir, context);
  const compared: MovedTable[] = [];
  for (const table of tables) compared.push(await compareTable(table, context));
  await target.setSequences((table) => source.position(table));
  for (const known of migrations.values()) await target.moved(known);
  await target.run('ANALYZE');
  signal.throwIfAborted();
  return { tables: [...compared, blobs].sort((a, b) => (a.table < b.table ? -1 : 1)), missing_blobs: missing };
}
