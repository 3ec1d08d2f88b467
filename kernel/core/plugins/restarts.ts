import type { Log } from '../../contract/extension.js';
import { isFailure } from '../../contract/failure.js';
import type { Host } from '../host/host.js';

/** Waits before each restart after a lost process or a failed start. */
const waits_ms = [1_000, 5_000, 25_000] as const;
/** Time without a loss after which the count restarts. */
const quiet_ms = 600_000;
/** Relative jitter of each wait, so that several plugins don't restart at once. */
const jitter = 0.2;

export interface RestartsOptions {
  host: Pick<Host, 'markRestarting' | 'restart' | 'retry' | 'giveUp'>;
  clock: { now(): number };
  /** Schedules `work`. Returns a function that cancels it. */
  after: (ms: number, work: () => void) => () => void;
  random: () => number;
  log: Pick<Log, 'warn' | 'error'>;
}

/** A plugin's process that ended unexpectedly. */
export interface Loss {
  id: string;
  /** Signal of the activation that it served. */
  signal: AbortSignal;
  /** `its process ended with exit code 7` */
  reason: string;
}

interface History {
  losses: number;
  /** Time of the last loss. */
  at: number;
  /** Time of the next start. */
  due: number;
  cancel: (() => void) | undefined;
}

/** Start failures that may be transient: a busy machine, a killed process, an unreachable server. Others are not retried. */
const transientCodes: readonly unknown[] = ['extension_failed', 'extension_unavailable'];

/** A planned start. */
interface PlannedStart {
  /** Without jitter. */
  wait_ms: number;
  id: string;
  /** Cause: the loss or failure before it. */
  reason: string;
  run: () => Promise<void>;
}

/** Restarts plugins whose process ended or whose automatic start failed: after 1 s, 5 s and 25 s; then it marks them as failed. */
export class Restarts {
  readonly #options: RestartsOptions;
  readonly #histories = new Map<string, History>();
  #closed = false;

  constructor(options: RestartsOptions) {
    this.#options = options;
  }

  /** Returns the whole seconds until the next start, at least 1; undefined if none is planned. */
  retryAfter(id: string): number | undefined {
    const history = this.#histories.get(id);
    if (!history?.cancel) return undefined;
    return Math.max(1, Math.ceil((history.due - this.#options.clock.now()) / 1_000));
  }

  /** Resets the count after a person has restarted the plugin. */
  forget(id: string): void {
    this.#histories.get(id)?.cancel?.();
    this.#histories.delete(id);
  }

  lost(loss: Loss): void {
    this.#lost(loss).catch((err: unknown) => this.#options.log.error(`Could not handle the lost process of plugin '${loss.id}'`, { err }));
  }

  /** Handles a failed automatic start, at the platform's start or after a missing dependency became active. */
  startFailed(id: string, fault: unknown): void {
    if (this.#closed || !isFailure(fault) || !transientCodes.includes(fault.code)) return;
    const history = this.#countLoss(id);
    const wait_ms = waits_ms[history.losses - 1];
    if (wait_ms === undefined) this.#stopRetrying(id, fault.message);
    else this.#plan(history, { wait_ms, id, reason: fault.message, run: () => this.#retry(id) });
  }

  #stopRetrying(id: string, reason: string): void {
    this.#histories.delete(id);
    const times = waits_ms.length + 1;
    this.#options.log.error(`Extension '${id}' has failed to start ${times} times; no further automatic attempts: ${reason}`);
  }

  close(): void {
    this.#closed = true;
    for (const id of [...this.#histories.keys()]) this.forget(id);
  }

  async #lost(loss: Loss): Promise<void> {
    const { id, signal, reason } = loss;
    // A process that ends during its start is not a loss: the start fails.
    const isCurrent = !this.#closed && (await this.#options.host.markRestarting(id, signal, `Restarting: ${reason}`));
    if (!isCurrent || this.#closed) return;
    const history = this.#countLoss(id);
    const wait_ms = waits_ms[history.losses - 1];
    if (wait_ms === undefined) await this.#giveUp(loss);
    else this.#plan(history, { wait_ms, id, reason, run: () => this.#restart(loss) });
  }

  #countLoss(id: string): History {
    const now = this.#options.clock.now();
    const before = this.#histories.get(id);
    before?.cancel?.();
    const losses = before && now - before.at < quiet_ms ? before.losses + 1 : 1;
    const history: History = { losses, at: now, due: now, cancel: undefined };
    this.#histories.set(id, history);
    return history;
  }

  #plan(history: History, { wait_ms: base_ms, id, reason, run }: PlannedStart): void {
    const { clock, after, random, log } = this.#options;
    const wait_ms = Math.round(base_ms * (1 - jitter + 2 * jitter * random()));
    history.due = clock.now() + wait_ms;
    history.cancel = after(wait_ms, () => {
      history.cancel = undefined;
      void run();
    });
    log.warn(`Extension '${id}' restarts in ${wait_ms} ms: ${reason}`, { losses: history.losses });
  }

  async #retry(id: string): Promise<void> {
    try {
      await this.#options.host.retry(id);
    } catch (fault) {
      this.startFailed(id, fault);
    }
  }

  async #restart(loss: Loss): Promise<void> {
    try {
      await this.#options.host.restart(loss.id, loss.signal);
    } catch (fault) {
      // The failed restart counts as another loss of the same version.
      this.lost({ ...loss, reason: fault instanceof Error ? fault.message : String(fault) });
    }
  }

  async #giveUp({ id, signal, reason }: Loss): Promise<void> {
    this.#histories.delete(id);
    const sentence = `Plugin '${id}' has failed ${waits_ms.length + 1} times; no further automatic restarts: ${reason}`;
    await this.#options.host.giveUp(id, signal, sentence);
  }
}
