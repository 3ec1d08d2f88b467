import { join } from 'node:path';
import type { Test } from 'tap';
import { Backups, type BackupsOptions } from '../../../../kernel/platform/backup/backups.js';
import { restoreBackup } from '../../../../kernel/platform/backup/restore.js';
import { type BlobStore, openBlobs } from '../../../../kernel/platform/data/blobs.js';
import { type Data, openData } from '../../../../kernel/platform/data/hub.js';
import { freshPostgres, type Place, silentLog, systemClock, temporaryFolder } from '../../../helpers/databases.js';
import { RowReader, type Rows } from '../../../operations/bad-input/rows.js';

/** A database with blobs and backups. */
export interface Installation {
  data: Data;
  place: Place;
  blobs: BlobStore;
  backups: Backups;
  /** Its warnings. */
  warnings: string[];
  /** Makes a backup; gives its path too. */
  backup(): Promise<Awaited<ReturnType<Backups['create']>> & { path: string }>;
}

export function installation(data: Data, place: Place, change: Partial<BackupsOptions> = {}): Installation {
  const { data_dir } = place;
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string, fields?: object) => void warnings.push(`${message} ${JSON.stringify(fields)}`) };
  const blobs = openBlobs(data, { data_dir, clock: systemClock, log });
  const withoutBlobRemovals = <T>(work: () => Promise<T>) => blobs.withoutRemovals(work);
  const backups = new Backups({ data, data_dir, server: '1.2.3', withoutBlobRemovals, clock: systemClock, log, ...change });
  const backup = async () => {
    const report = await backups.create({ keep: 7, signal: never() });
    return { ...report, path: join(data_dir, 'backups', report.file) };
  };
  return { data, place, blobs, backups, warnings, backup };
}

export const never = (): AbortSignal => new AbortController().signal;

/** An empty place of the same kind of database. */
export async function emptyPlace(t: Test, { dialect }: Pick<Data, 'dialect'>): Promise<{ data_dir: string; database_url: string }> {
  return { data_dir: await temporaryFolder(t), database_url: dialect === 'sqlite' ? 'sqlite:' : await freshPostgres() };
}

/** Restores an archive into an empty place, and opens the database there. */
export async function restored(t: Test, archive: string, data: Pick<Data, 'dialect'>) {
  const target = await emptyPlace(t, data);
  const manifest = await restoreBackup(archive, target);
  const rows = await rowsIn(target);
  const opened = await openData({ url: target.database_url, data_dir: target.data_dir, clock: systemClock, log: silentLog });
  t.teardown(() => opened.close());
  return {
    ...target,
    manifest,
    rows,
    data: opened,
    blobs: openBlobs(opened, { data_dir: target.data_dir, clock: systemClock, log: silentLog }),
  };
}

/** The rows of a database, read from outside: all, or only these columns of tables. */
export async function rowsIn(
  { database_url, data_dir }: { database_url: string; data_dir: string },
  only?: Readonly<Record<string, string>>,
): Promise<Rows> {
  const reader = await RowReader.open(database_url, data_dir);
  try {
    return await reader.read(only);
  } finally {
    await reader.close();
  }
}
