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
  /** Those of the kernel's own tables. */
  cleaners: readonly Cleaner[];
}

const slot = 'maintenance.cleanup';
/** One that was planned may meet the hourly one, which takes seconds. */
const patience_ms = 60_000;

type Maintenance = Pick<Administration, 'cleanup' | 'backup' | 'backups' | 'readBackup' | 'removeBackup'>;

/** Begins what is done by itself, and gives what the operations do. */
export async function maintain(ctx: Context, { data, backups, cleaners }: MaintenanceParts): Promise<Maintenance> {
  for (const cleaner of cleaners) ctx.contribute(slot, cleaner);
  const cleanup = new Cleanup({ data, clock: ctx.clock, log: ctx.log, cleaners: () => ctx.slot<Cleaner>(slot) });
  ctx.every({ name: 'retention', every_ms: 3_600_000 }, async () => {
    await unlessRunning(cleanup.run(ctx.signal)).catch((fault: unknown) => {
      // A stop in its midst: the rest has its turn at the next.
      if (!ctx.signal.aborted) throw fault;
    });
  });
  if (ctx.background) await tidy(ctx, data, backups);
  const until = async <T>(asked: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    try {
      return await work(AbortSignal.any([asked, ctx.signal]));
    } catch (cause) {
      throw ctx.signal.aborted
        ? fail('shutting_down', 'The platform stops, and has given this up; ask again when it runs', { cause })
        : cause;
    }
  };
  return {
    cleanup: (asked) => until(asked, (signal) => cleanup.run(signal, { wait_ms: patience_ms })),
    backup: ({ keep, signal: asked, progress }) =>
      until(asked, (signal) => exclusive(data, { name: 'backup' }, () => backups.create({ keep, signal, progress }))),
    backups: () => backups.list(),
    readBackup: (file, piece) => backups.read(file, piece),
    removeBackup: (file) => backups.remove(file),
  };
}

/** Removes what was left of a backup in whose midst a process ended. It must not keep the platform from starting. */
async function tidy({ log }: Context, data: Data, backups: Backups): Promise<void> {
  try {
    if ((await backups.drafts()).length > 0) await unlessRunning(exclusive(data, { name: 'backup' }, () => backups.tidy()));
  } catch (fault) {
    log.warn('What was left of a backup could not be removed', { err: fault });
  }
}

/** Another instance does it just now. */
async function unlessRunning(work: Promise<unknown>): Promise<void> {
  await work.catch((fault: unknown) => {
    if (!isFailure(fault) || fault.code !== 'maintenance_running') throw fault;
  });
}
