import type { Log } from '../../contract/extension.js';
import { isFailure } from '../../contract/failure.js';
import type { Host } from '../host/host.js';

/** How long after each loss another process is started, and after each failed start the next is tried. */
const waits_ms = [1_000, 5_000, 25_000] as const;
/** After so long without a loss the next one counts as the first. */
const quiet_ms = 600_000;
/** Each wait is longer or shorter by up to this part, so that several don't start at once. */
const jitter = 0.2;

export interface RestartsOptions {
  host: Pick<Host, 'lose' | 'restart' | 'retry' | 'giveUp'>;
  clock: { now(): number };
  /** Calls back after a time, unless the function that it gives is called before. */
  after: (ms: number, work: () => void) => () => void;
  random: () => number;
  log: Pick<Log, 'warn' | 'error'>;
}

/** The process of a plugin has ended by itself. */
export interface Loss {
  id: string;
  /** The activation that it served. */
  signal: AbortSignal;
  /** `its process ended with exit code 7` */
  reason: string;
}

interface History {
  losses: number;
  /** When the last one was. */
  at: number;
  /** When the next process is started. */
  due: number;
  cancel: (() => void) | undefined;
}

/** Failures of a start that may pass: a machine that was too busy, a process that was ended, a server that was away. Others stay as they are. */
const passing: readonly unknown[] = ['extension_failed', 'extension_unavailable'];

/** A start that is to come. */
interface Another {
  /** Without jitter. */
  wait_ms: number;
  id: string;
  /** Time of the loss or failure before it. */
  reason: string;
  again: () => Promise<void>;
}

/** Starts plugins again whose processes have ended, or that failed when they were to start by themselves: after 1 s, 5 s and 25 s; then they are given up. */
export class Restarts {
  readonly #options: RestartsOptions;
  readonly #histories = new Map<string, History>();
  #closed = false;

  constructor(options: RestartsOptions) {
    this.#options = options;
  }

  /** Whole seconds until another process is started, at least 1; undefined where none will be. */
  waitOf(id: string): number | undefined {
    const history = this.#histories.get(id);
    if (!history?.cancel) return undefined;
    return Math.max(1, Math.ceil((history.due - this.#options.clock.now()) / 1_000));
  }

  /** A person has started it anew: what was before doesn't count. */
  forget(id: string): void {
    this.#histories.get(id)?.cancel?.();
    this.#histories.delete(id);
  }

  lost(loss: Loss): void {
    this.#lost(loss).catch((err: unknown) => this.#options.log.error(`Plugin '${loss.id}' could not be looked after`, { err }));
  }

  /** It was to start by itself, at the platform's start or since what it lacked is there, and failed. */
  unstarted(id: string, fault: unknown): void {
    if (this.#closed || !isFailure(fault) || !passing.includes(fault.code)) return;
    const history = this.#counted(id);
    const wait_ms = waits_ms[history.losses - 1];
    if (wait_ms === undefined) this.#leave(id, fault.message);
    else this.#await(history, { wait_ms, id, reason: fault.message, again: () => this.#retry(id) });
  }

  #leave(id: string, reason: string): void {
    this.#histories.delete(id);
    const times = waits_ms.length + 1;
    this.#options.log.error(`Extension '${id}' has failed to start ${times} times and is not tried again by itself: ${reason}`);
  }

  close(): void {
    this.#closed = true;
    for (const id of [...this.#histories.keys()]) this.forget(id);
  }

  async #lost(loss: Loss): Promise<void> {
    const { id, signal, reason } = loss;
    // One that ends while it starts is no loss: its start fails.
    const placed = !this.#closed && (await this.#options.host.lose(id, signal, `It is about to be started again: ${reason}`));
    if (!placed || this.#closed) return;
    const history = this.#counted(id);
    const wait_ms = waits_ms[history.losses - 1];
    if (wait_ms === undefined) await this.#giveUp(loss);
    else this.#await(history, { wait_ms, id, reason, again: () => this.#restart(loss) });
  }

  #counted(id: string): History {
    const now = this.#options.clock.now();
    const before = this.#histories.get(id);
    before?.cancel?.();
    const losses = before && now - before.at < quiet_ms ? before.losses + 1 : 1;
    const history: History = { losses, at: now, due: now, cancel: undefined };
    this.#histories.set(id, history);
    return history;
  }

  #await(history: History, { wait_ms: usual_ms, id, reason, again }: Another): void {
    const { clock, after, random, log } = this.#options;
    const wait_ms = Math.round(usual_ms * (1 - jitter + 2 * jitter * random()));
    history.due = clock.now() + wait_ms;
    history.cancel = after(wait_ms, () => {
      history.cancel = undefined;
      void again();
    });
    log.warn(`Extension '${id}' is started again in ${wait_ms} ms: ${reason}`, { losses: history.losses });
  }

  async #retry(id: string): Promise<void> {
    try {
      await this.#options.host.retry(id);
    } catch (fault) {
      this.unstarted(id, fault);
    }
  }

  async #restart(loss: Loss): Promise<void> {
    try {
      await this.#options.host.restart(loss.id, loss.signal);
    } catch (fault) {
      // The version that lost its process is still in its place.
      this.lost({ ...loss, reason: fault instanceof Error ? fault.message : String(fault) });
    }
  }

  async #giveUp({ id, signal, reason }: Loss): Promise<void> {
    this.#histories.delete(id);
    const sentence = `Plugin '${id}' has failed ${waits_ms.length + 1} times and is not started again by itself: ${reason}`;
    await this.#options.host.giveUp(id, signal, sentence);
  }
}
