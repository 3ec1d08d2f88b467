import type { Context } from '../../contract/extension.js';
import { fail, isFailure } from '../../contract/failure.js';
import type { Cleaner } from '../../contract/maintenance.js';
import type { Administration } from '../../contract/system.js';
import type { Backups } from '../backup/backups.js';
import type { Data } from '../data/hub.js';
import { Cleanup } from './cleanup.js';
import { exclusive } from './exclusive.js';

export interface MaintenanceParts {
  data: Data;
  backups: Backups;
  /** Cleaners of the kernel's own tables. */
  cleaners: readonly Cleaner[];
  /** Removes cached content of this instance that another one has deleted. */
  tidyCache: () => Promise<void>;
  /** Deletes events that were delivered. */
  sweepEvents: () => Promise<unknown>;
}

const slot = 'maintenance.cleanup';
/** Wait of a requested cleanup for the hourly one, which may be running and takes seconds. */
const cleanup_wait_ms = 60_000;

type Maintenance = Pick<Administration, 'cleanup' | 'backup' | 'backups' | 'readBackup' | 'removeBackup'>;

/** Starts the scheduled maintenance, and returns the functions behind its operations. */
export async function maintain(ctx: Context, parts: MaintenanceParts): Promise<Maintenance> {
  const { data, backups, cleaners, tidyCache, sweepEvents } = parts;
  for (const cleaner of cleaners) ctx.contribute(slot, cleaner);
  const cleanup = new Cleanup({ data, clock: ctx.clock, log: ctx.log, cleaners: () => ctx.slot<Cleaner>(slot) });
  ctx.every({ name: 'retention', every_ms: 3_600_000 }, async () => {
    await unlessRunning(cleanup.run(ctx.signal)).catch((fault: unknown) => {
      // After a stop the next cleanup does the rest.
      if (!ctx.signal.aborted) throw fault;
    });
  });
  // On each instance, because each has a cache of its own.
  ctx.every({ name: 'blob-cache', every_ms: 60_000 }, tidyCache);
  ctx.every({ name: 'delivered-events', every_ms: 60_000 }, async () => void (await sweepEvents()));
  if (ctx.background) await deleteDrafts(ctx, data, backups);
  const untilStopped = async <T>(request: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    try {
      return await work(AbortSignal.any([request, ctx.signal]));
    } catch (cause) {
      throw ctx.signal.aborted
        ? fail('shutting_down', 'The platform stops, and has given this up; ask again when it runs', { cause })
        : cause;
    }
  };
  return {
    cleanup: (request) => untilStopped(request, (signal) => cleanup.run(signal, { wait_ms: cleanup_wait_ms })),
    backup: ({ keep, signal: request, progress }) =>
      untilStopped(request, (signal) => exclusive(data, { name: 'backup' }, () => backups.create({ keep, signal, progress }))),
    backups: () => backups.list(),
    readBackup: (file, piece) => backups.read(file, piece),
    removeBackup: (file) => backups.remove(file),
  };
}

/** Deletes the files of a backup that a dead process left unfinished. Never fails, because the platform must start anyway. */
async function deleteDrafts({ log }: Context, data: Data, backups: Backups): Promise<void> {
  try {
    if ((await backups.drafts()).length > 0) await unlessRunning(exclusive(data, { name: 'backup' }, () => backups.tidy()));
  } catch (fault) {
    log.warn('What was left of a backup could not be removed', { err: fault });
  }
}

/** Ignores that the work is already running, such as on another instance. */
async function unlessRunning(work: Promise<unknown>): Promise<void> {
  await work.catch((fault: unknown) => {
    if (!isFailure(fault) || fault.code !== 'maintenance_running') throw fault;
  });
}
