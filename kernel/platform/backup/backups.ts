import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Log } from '../../contract/extension.js';
import type { Call } from '../../contract/operation.js';
import type { BackupRecord, BackupReport } from '../../contract/system.js';
import { backup_name } from '../../contract/system.js';
import { failBackup } from '../data/archive.js';
import { codeOf } from '../data/failures.js';
import { syncFolder } from '../data/sync-folder.js';
import type { DiskFloor } from '../files/disk-floor.js';
import type { BackupSource } from './write.js';
import { explainWriting } from './write-faults.js';

export interface BackupsOptions extends BackupSource {
  clock: Clock;
  log: Pick<Log, 'warn' | 'info'>;
  /** Opens the archive's file. Default: the system's own. */
  openFile?: (path: string, flags: string, mode: number) => Promise<FileHandle>;
  /** Refuses archives while the disk has too little space. Default: none is refused. */
  floor?: Pick<DiskFloor, 'admit'>;
}

const draft_name = /^draft-[0-9a-f]{8}$/;

/**
 * The archives in the folder `backups` of this process's data folder. Each is written in a folder `draft-…` beside
 * them and moved when it is complete; meanwhile there must be space for the archive and, with SQLite, a second copy of
 * the database.
 */
export class Backups {
  readonly #options: BackupsOptions;
  readonly #folder: string;

  constructor(options: BackupsOptions) {
    this.#options = options;
    this.#folder = join(options.data_dir, 'backups');
  }

  /** Writes an archive and removes the oldest beyond `keep`. Must not run twice at once. Fails with `backup_failed` and `disk_low`. */
  async create({ keep, signal, progress }: { keep: number } & Pick<Call, 'signal' | 'progress'>): Promise<BackupReport> {
    const { clock, log, floor } = this.#options;
    // Its size is known only at the end, but it is never small.
    floor?.admit(Number.POSITIVE_INFINITY);
    const started_at = clock.now();
    const name = nameAt(started_at);
    const report = await this.#write(name, { signal, progress }).catch((fault: unknown) => {
      signal.throwIfAborted();
      throw explainWriting(fault, failed);
    });
    const { missing_blobs, left_out, ...content } = report;
    if (left_out.length > 0) log.warn('Files of extensions are missing or incomplete in the backup', { files: left_out });
    if (missing_blobs.length > 0)
      log.warn('Blobs in use are missing or damaged, and not in the backup', { blobs: missing_blobs.slice(0, 100) });
    const removed = await this.#removeOld(keep, name);
    return {
      file: name,
      ...content,
      missing_blobs: missing_blobs.length,
      left_out: left_out.length,
      left_out_files: left_out,
      duration_ms: clock.now() - started_at,
      removed,
      needs_secret_key: true,
    };
  }

  /** Lists the archives, latest first. */
  async list(): Promise<BackupRecord[]> {
    const names = (await this.#names()).filter((name) => backup_name.test(name));
    const records = await Promise.all(
      names.map(async (file) => {
        const stats = await stat(join(this.#folder, file)).catch(undefinedIfMissing);
        return stats ? [{ file, bytes: stats.size, created_at: timeOf(file) }] : [];
      }),
    );
    return records.flat().sort((a, b) => (a.file < b.file ? 1 : -1));
  }

  /** Fails with `backup_not_found`. */
  async remove(file: string): Promise<void> {
    await this.#withFile(file, (path) => rm(path));
  }

  /** Reads a piece of an archive; empty after its end. Fails with `backup_not_found`. */
  async read(file: string, { offset, bytes }: { offset: number; bytes: number }): Promise<Buffer> {
    return this.#withFile(file, async (path) => {
      const handle = await open(path);
      try {
        const { size } = await handle.stat();
        const piece = Buffer.alloc(Math.max(0, Math.min(bytes, size - offset)));
        if (piece.length === 0) return piece;
        const { bytesRead } = await handle.read(piece, { position: offset });
        return piece.subarray(0, bytesRead);
      } finally {
        await handle.close();
      }
    });
  }

  /** Removes drafts that a process left when it ended during a backup. Must not run while one is written. */
  async tidy(): Promise<void> {
    for (const name of await this.drafts()) await rm(join(this.#folder, name), { recursive: true, force: true });
  }

  /** Lists archives that are being written, or were left unfinished. */
  async drafts(): Promise<string[]> {
    return (await this.#names()).filter((name) => draft_name.test(name));
  }

  async #write(name: string, call: Pick<Call, 'signal' | 'progress'>) {
    const { openFile, clock, floor: _floor, ...source } = this.#options;
    // Its modules are loaded on first use.
    const { writeBackup } = await import('./write.js');
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.tidy();
    const folder = join(this.#folder, `draft-${randomBytes(4).toString('hex')}`);
    await mkdir(folder, { mode: 0o700 });
    try {
      const file = join(folder, name);
      const content = await writeBackup(source, { folder, file, now: clock.now(), ...call, ...(openFile ? { openFile } : {}) });
      await rename(file, join(this.#folder, name));
      await syncFolder(this.#folder);
      return content;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Never removes the one that was just created, whatever the clock says. */
  async #removeOld(keep: number, created: string): Promise<string[]> {
    const files = (await this.list()).map(({ file }) => file);
    const old = files.slice(keep).filter((file) => file !== created);
    for (const file of old) await rm(join(this.#folder, file), { force: true });
    return old;
  }

  async #withFile<T>(file: string, use: (path: string) => Promise<T>): Promise<T> {
    const notFound = (cause?: unknown) => failBackup('backup_not_found', `There is no backup '${file.slice(0, 80)}' here`, { cause });
    if (!backup_name.test(file)) throw notFound();
    return use(join(this.#folder, file)).catch((cause: unknown) => {
      throw codeOf(cause) === 'ENOENT' ? notFound(cause) : cause;
    });
  }

  async #names(): Promise<string[]> {
    return (await readdir(this.#folder).catch(undefinedIfMissing)) ?? [];
  }
}

function nameAt(now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:.]/g, '');
  return `${time}-${randomBytes(4).toString('hex')}.tar`;
}

function timeOf(file: string): string {
  return file.replace(backup_name, '$1-$2-$3T$4:$5:$6.$7Z');
}

function failed(reason: string, cause: unknown): Error {
  return failBackup('backup_failed', `The backup could not be written (${reason}); no part of it was kept`, { cause });
}

function undefinedIfMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
