import type { FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call } from '../../contract/operation.js';
import type { Entry } from '../data/archive.js';
import { failBackup } from '../data/archive.js';
import { BlobFolder } from '../data/blob-folder.js';
import { allMigrations } from '../data/database-sql.js';
import type { Snapshot } from '../data/driver.js';
import type { Data } from '../data/hub.js';
import type { FolderQuota } from '../files/files-below.js';
import { ArchiveWriter, type Written } from './archive-writer.js';
import { blobEntries, blobsInside } from './blob-entries.js';
import { folderBytes, folderEntries } from './folder-entries.js';
import { format, format_version, isEntryName, type Manifest } from './manifest.js';
import { blobBytes } from './snapshot-sql.js';

export interface BackupSource {
  data: Data;
  data_dir: string;
  /** The version of the program. */
  server: string;
  /** Runs work during which no blob is removed. */
  withoutBlobRemovals: <T>(work: () => Promise<T>) => Promise<T>;
  /** Returns how much of an extension's own folder an archive includes; undefined means all. */
  quotaOf?: (extension: string) => FolderQuota | undefined;
}

export interface BackupTarget extends Pick<Call, 'signal' | 'progress'> {
  /** An empty folder on the disk of the archive. */
  folder: string;
  file: string;
  now: number;
  openFile?: (path: string, flags: string, mode: number) => Promise<FileHandle>;
}

export interface BackupContent extends Written {
  tables: number;
  rows: number;
  blobs: number;
  /** Blobs in use that are missing or damaged. */
  missing_blobs: readonly string[];
  /** The first hundred files of extensions that are missing or incomplete in it, and why. */
  left_out: readonly LeftOut[];
}

export interface LeftOut {
  name: string;
  why: string;
}

const max_left_out = 100;

/** Folders of the data folder that belong to an installation beside its database and its blobs. */
export const backed_up_folders = ['extensions', 'files'] as const;

/**
 * Writes an installation to one archive: the content of its database at one moment, the blobs that it names, and
 * extensions' files as they are found. Never includes the master key.
 */
export async function writeBackup(source: BackupSource, target: BackupTarget): Promise<BackupContent> {
  const { folder, signal, progress } = target;
  const copied = (done: number, total: number) => progress?.({ doing: 'copying the database', done, total });
  // A blob that is released after the snapshot is still in it.
  return source.withoutBlobRemovals(() => source.data.snapshot({ folder, signal, copied }, (snapshot) => write(source, target, snapshot)));
}

async function write(source: BackupSource, target: BackupTarget, snapshot: Snapshot): Promise<BackupContent> {
  const { data, data_dir, server, quotaOf = () => undefined } = source;
  const { file, now, signal, progress, openFile } = target;
  const total = await bytesOf(snapshot, source);
  const added = (done: number) => progress?.({ doing: 'writing the archive', done, total });
  const archive = await ArchiveWriter.create({ file, now, signal, added, ...(openFile ? { openFile: openFile as typeof open } : {}) });
  try {
    for await (const entry of snapshot.entries()) await add(archive, entry);
    const missing_blobs: string[] = [];
    const folder = new BlobFolder(join(data_dir, 'blobs'));
    const read = data.dialect === 'sqlite' ? (hex: string) => folder.read(hex) : blobsInside(snapshot);
    const before = archive.entries.length;
    for await (const entry of blobEntries(snapshot, read, missing_blobs)) await add(archive, entry);
    const blobs = archive.entries.length - before;
    const left_out: LeftOut[] = [];
    const leftOut = (name: string, why: string) =>
      void (left_out.length < max_left_out && left_out.push({ name: name.slice(0, 200), why }));
    for (const name of backed_up_folders)
      for await (const entry of folderEntries({ data_dir, folder: name, quotaOf, leftOut })) await add(archive, entry);
    const { tables } = snapshot;
    const written = await archive.finish({
      format,
      version: format_version,
      server,
      dialect: data.dialect,
      created_at: new Date(now).toISOString(),
      needs_secret_key: true,
      migrations: await migrationsOf(snapshot),
      tables: { ...tables },
      blobs,
      missing_blobs,
    });
    const counts = Object.values(tables);
    return { ...written, tables: counts.length, rows: counts.reduce((sum, rows) => sum + rows, 0), blobs, missing_blobs, left_out };
  } finally {
    await archive.close();
  }
}

/** Estimates the bytes to write. */
async function bytesOf(snapshot: Snapshot, { data_dir, quotaOf = () => undefined }: BackupSource): Promise<number> {
  const files = await Promise.all(backed_up_folders.map((folder) => folderBytes({ data_dir, folder, quotaOf })));
  return files.reduce((sum, bytes) => sum + bytes, (await snapshot.size()) + (await blobBytes(snapshot)));
}

/** Rejects an entry that could not be read again. */
async function add(archive: ArchiveWriter, entry: Entry): Promise<void> {
  if (!isEntryName(entry.name))
    throw failBackup('backup_failed', `An archive can't contain an entry with the name '${entry.name.slice(0, 200)}'`);
  await archive.add(entry);
}

async function migrationsOf(snapshot: Snapshot): Promise<Manifest['migrations']> {
  const byOwner = await allMigrations(snapshot);
  return Object.fromEntries([...byOwner].map(([owner, migrations]) => [owner, migrations.map(({ name }) => name)]));
}
