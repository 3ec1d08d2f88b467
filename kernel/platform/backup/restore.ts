import { createWriteStream, type Dirent } from 'node:fs';
import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { lockFolder, removeFolder } from '../bundles/folder.js';
import { foldersOf, parseAddress } from '../data/address.js';
import { failBackup, type ReadEntry } from '../data/archive.js';
import { codeOf } from '../data/failures.js';
import { openFolder } from '../data/folder.js';
import { checkKnown } from '../data/migrate.js';
import { kernelMigrations } from '../data/migrations.js';
import { DiskFloor } from '../files/disk-floor.js';
import { readArchive, verifyBackup } from './archive-reader.js';
import type { Manifest } from './manifest.js';
import { backed_up_folders } from './write.js';
import { explainWriting } from './write-faults.js';

export interface RestoreTarget {
  data_dir: string;
  /** As the setting of this name: `sqlite:` or `postgres://…`. Default `sqlite:`. */
  database_url?: string;
  /** The setting, empty if it is not set. */
  min_free_bytes?: number | '';
}

/**
 * Puts an archive's content into an empty installation: a data folder without blobs and extensions' files, and a
 * database without a platform's tables, of the same kind as in the archive. Everything is checked first; if it
 * fails afterwards, it removes what it has written. To start then, the platform needs the master key that the archive
 * does not hold (`secret.key` in the data folder, or PLATFORM_SECRET_KEY).
 *
 * An archive of PostgreSQL contains statements that create its tables: restore only archives of your own platforms.
 *
 * Fails with `backup_not_found`, `backup_damaged`, `backup_format_unknown`, `backup_other_database`, `restore_not_empty`,
 * `schema_newer`, `disk_low`, and as the data folder does (`data_dir_locked`, `data_dir_unwritable`).
 */
export async function restoreBackup(file: string, target: RestoreTarget): Promise<Manifest> {
  const { data_dir, database_url = 'sqlite:', min_free_bytes } = target;
  const manifest = await verifyBackup(file);
  const address = parseAddress(database_url, data_dir);
  if (address.dialect !== manifest.dialect)
    throw failBackup(
      'backup_other_database',
      `The archive contains a database of ${manifest.dialect}, and the target is one of ${address.dialect}`,
      { fix: targets[manifest.dialect] },
    );
  const migrations = (manifest.migrations.kernel ?? []).map((name) => ({ name }));
  checkKnown('kernel', migrations, kernelMigrations);
  const lock = join(resolve(data_dir), 'platform.lock');
  const hadLock = await stat(lock).then(
    () => true,
    () => false,
  );
  await removingCreatedFolders(data_dir, async () => {
    const folder = await openFolder({ path: data_dir, lock: address.dialect === 'sqlite' });
    try {
      await assertEmpty(folder.path);
      new DiskFloor({ folders: foldersOf(address, folder.path), min_free_bytes }).admit((await stat(file)).size);
      await emptyingFolders(folder.path, () => restore(file, folder.path, address));
    } catch (fault) {
      // While this process has it: later it may be another's.
      if (!hadLock) await rm(lock, { force: true });
      throw fault;
    } finally {
      await folder.dispose();
    }
  });
  return manifest;
}

/** Removes the data folder, and the folders above it, that the work has created, if it fails. */
async function removingCreatedFolders(data_dir: string, work: () => Promise<void>): Promise<void> {
  const created = await missingFolders(resolve(data_dir));
  try {
    await work();
  } catch (fault) {
    for (const folder of created) await rmdir(folder).catch(() => undefined);
    throw explainWriting(fault, failed);
  }
}

/** The folder and those above it that are not there yet, the innermost first. */
async function missingFolders(path: string): Promise<string[]> {
  const result = await stat(path).catch((fault: unknown) => fault);
  return codeOf(result) === 'ENOENT' && dirname(path) !== path ? [path, ...(await missingFolders(dirname(path)))] : [];
}

function failed(reason: string, cause: unknown): Error {
  return failBackup('restore_failed', `The backup could not be restored (${reason}); no part of it was kept`, { cause });
}

/** How a target of the kind is named. */
const targets: Readonly<Record<Manifest['dialect'], string>> = {
  postgres: 'name an empty database: PLATFORM_DATABASE_URL=postgres://user:password@host/name',
  sqlite: 'leave PLATFORM_DATABASE_URL out: the database is then a file of the data folder',
};

/** Steps that can fail come first, because nothing can be undone once the database has its content. */
async function restore(file: string, data_dir: string, address: ReturnType<typeof parseAddress>): Promise<void> {
  const files = new FileWriter(data_dir);
  const reader = (folders: readonly string[]) => async (onEntry: (entry: ReadEntry) => Promise<void>) => {
    await readArchive(file, (entry) => (files.accepts(entry, folders) ? files.write(entry) : onEntry(entry)));
    await lockBundles(data_dir);
  };
  if (address.dialect === 'postgres') {
    const { restorePostgres } = await import('../data/postgres/restore.js');
    return restorePostgres(address.url, reader(['files', 'extensions']));
  }
  const { restoreSqlite } = await import('../data/sqlite/restore.js');
  await restoreSqlite(address.file, reader(['files', 'extensions', 'blobs']));
}

/** Writes entries to files below the data folder. */
class FileWriter {
  readonly #data_dir: string;

  constructor(data_dir: string) {
    this.#data_dir = data_dir;
  }

  accepts({ name }: ReadEntry, folders: readonly string[]): boolean {
    return folders.includes(name.slice(0, name.indexOf('/')));
  }

  async write({ name, content }: ReadEntry): Promise<void> {
    const path = resolve(this.#data_dir, name.replace(/^blobs\/(..)/, 'blobs/$1/'));
    if (!path.startsWith(this.#data_dir + sep))
      throw failBackup('backup_damaged', `The archive's entry '${name.slice(0, 80)}' leads out of the data folder`);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await pipeline(Readable.from(content), createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
  }
}

const folders = [...backed_up_folders, 'blobs'];

async function assertEmpty(data_dir: string): Promise<void> {
  for (const folder of folders) {
    if ((await entriesIn(join(data_dir, folder))).length > 0)
      throw failBackup('restore_not_empty', `The data folder has '${folder}' already; restore into an empty one`);
  }
}

/** Makes bundles readable: an archive has no modes, and a plugin's process runs as a user who must be able to read its bundle. */
async function lockBundles(data_dir: string): Promise<void> {
  for (const id of await foldersIn(join(data_dir, 'extensions'))) for (const version of await foldersIn(id)) await lockFolder(version);
}

async function foldersIn(folder: string): Promise<string[]> {
  return (await entriesIn(folder)).filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

async function entriesIn(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return [];
  });
}

/** Removes the folders that the work has filled where it fails: they were empty before. */
async function emptyingFolders(data_dir: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (fault) {
    for (const folder of folders) await removeFolder(join(data_dir, folder));
    throw fault;
  }
}
