import type { Clock, Contribution, Log } from '../../contract/extension.js';
import type { Cleaner } from '../../contract/maintenance.js';
import type { CleanupReport } from '../../contract/system.js';
import { within } from '../../contract/within.js';
import type { Data } from '../data/hub.js';
import { asFailure, sentenceOf } from '../http/errors.js';
import { failMaintenance } from './codes.js';
import { exclusive } from './exclusive.js';

export interface CleanupOptions {
  data: Pick<Data, 'lock'>;
  clock: Clock;
  log: Pick<Log, 'error'>;
  /** Returns the cleaners; called for each run. */
  cleaners: () => readonly Contribution<Cleaner>[];
  /** Time limit of one cleaner. Default 120,000. */
  limit_ms?: number;
}

/** Runs all cleaners, one after the other. */
export class Cleanup {
  readonly #options: CleanupOptions;

  constructor(options: CleanupOptions) {
    this.#options = options;
  }

  /**
   * Runs the cleaners. If one fails, the others still run; after an abort no further one starts. Fails with `maintenance_running` if another
   * cleanup is still running after `wait_ms`, by default after 100 ms.
   */
  run(signal: AbortSignal, { wait_ms }: { wait_ms?: number } = {}): Promise<CleanupReport> {
    return exclusive(this.#options.data, { name: 'cleanup', wait_ms }, async () => {
      const report: CleanupReport = { removed: [], failed: [] };
      for (const { from, value } of this.#options.cleaners()) {
        signal.throwIfAborted();
        await this.#clean(`${from}.${value.name}`, value, report);
      }
      return report;
    });
  }

  async #clean(name: string, cleaner: Cleaner, report: CleanupReport): Promise<void> {
    const { clock, log, limit_ms = 120_000 } = this.#options;
    const begun = clock.now();
    try {
      const rows = await within(limit_ms, cleaner.clean(), () => {
        throw failMaintenance(
          'cleanup_timeout',
          `It took longer than ${limit_ms / 1000} s; it goes on where it stopped at the next cleanup`,
        );
      });
      report.removed.push({ name, rows, ms: clock.now() - begun });
    } catch (fault) {
      log.error('A cleaner failed; its turn comes again', { cleaner: name, err: fault });
      const failure = asFailure(fault);
      report.failed.push({ name, code: failure.code, message: sentenceOf(failure) });
    }
  }
}
