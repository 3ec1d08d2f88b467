import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Disposable } from '../../contract/extension.js';
import { codeOf, failData, reasonOf } from './failures.js';
import { lockHolder } from './lock-holder.js';

/**
 * Locks a SQLite file against other instances, including those with another data folder. Fails with `database_in_use`, which names the
 * process that has it, or `data_dir_unwritable`.
 */
export async function claimFile(file: string): Promise<Disposable> {
  const lock = `${await realFile(file)}.lock`;
  const { holdFile } = await import('./sqlite/hold-file.js');
  try {
    return { dispose: await holdFile(lock) };
  } catch (cause) {
    if (codeOf(cause) === 'SQLITE_BUSY') throw await held(file, lock, cause);
    throw failData('data_dir_unwritable', `The database ${file} can't be locked: ${reasonOf(cause)}`, { cause });
  }
}

/** Resolves links, because a file may have several names. */
async function realFile(file: string): Promise<string> {
  const folder = await realpath(dirname(file)).catch(() => dirname(file));
  return realpath(file).catch(() => join(folder, basename(file)));
}

async function held(file: string, lock: string, cause: unknown): Promise<Error> {
  const holder = await lockHolder(lock);
  const who = holder ? `process ${holder.pid} (${holder.name})` : 'another instance';
  const message = `The database ${file} is in use by ${who}: SQLite allows one instance only, several need PostgreSQL and Redis`;
  const move = 'give all of them PLATFORM_DATABASE_URL=postgres://user:password@host/name and PLATFORM_BUS_URL=redis://host';
  const fix = holder ? `end it with: kill ${holder.pid}; or ${move}` : `end that instance, or ${move}`;
  return failData('database_in_use', message, { cause, since: holder?.since, fix });
}
