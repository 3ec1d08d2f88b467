import type { Bus } from '../../contract/journal.js';
import { type Changed, changedChannel, type Installer } from './installer.js';

export interface FollowerOptions {
  installer: Pick<Installer, 'converge' | 'differing'>;
  bus: Bus;
  instance: string;
  clock: { now(): number };
  /** Whether other instances may exist. */
  clustered: boolean;
  /** Called after each attempt to follow a change. */
  onLagChanged: () => void;
  log: { error(message: string, fields?: object): void };
}

/** Poll interval, in case an announcement was lost. */
const poll_ms = 15_000;
/** Back-off of failed changes: soon at first, because the machine or a server may have been busy, then less often. */
const first_retry_ms = poll_ms;
const max_retry_ms = 300_000;

/** A change that this instance could not follow. */
interface Lag {
  error: string;
  tries: number;
  retry_at: number;
}

/** Follows changes of other instances: extensions installed, removed, enabled and disabled. */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #lags = new Map<string, Lag>();
  #looking: Promise<void> | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Starts to follow. Returns a function that stops it. */
  async start(): Promise<() => Promise<void>> {
    const { bus, instance, clustered } = this.#options;
    const unsubscribe = await bus.subscribe(changedChannel, (change: Changed) => {
      if (change.instance !== instance) void this.#follow(change);
    });
    const timer = clustered ? setInterval(() => this.poll(), poll_ms).unref() : undefined;
    return async () => {
      clearInterval(timer);
      await unsubscribe();
      await this.#looking;
    };
  }

  /** Returns why this instance has not followed the last change of an extension; undefined if it has. */
  lagOf(id: string): string | undefined {
    return this.#lags.get(id)?.error;
  }

  /** Compares the installed extensions with the running ones and follows the differences. */
  poll(): void {
    this.#looking ??= this.#poll().finally(() => {
      this.#looking = undefined;
    });
  }

  async #poll(): Promise<void> {
    const { installer, clock, log } = this.#options;
    try {
      for (const id of await installer.differing()) {
        if (clock.now() >= (this.#lags.get(id)?.retry_at ?? 0)) await this.#follow({ id });
      }
    } catch (err) {
      log.error('Could not compare installed with running extensions', { err });
    }
  }

  async #follow(change: Omit<Changed, 'instance'>): Promise<void> {
    const { installer, clock, log, onLagChanged: lagged } = this.#options;
    const { id } = change;
    try {
      await installer.converge(change);
      this.#lags.delete(id);
    } catch (fault) {
      const error = fault instanceof Error ? fault.message : String(fault);
      const tries = (this.#lags.get(id)?.tries ?? 0) + 1;
      const wait_ms = Math.min(first_retry_ms * 2 ** (tries - 1), max_retry_ms);
      this.#lags.set(id, { error, tries, retry_at: clock.now() + wait_ms });
      log.error(`Extension '${id}' could not follow the change on another instance`, { err: fault });
    }
    lagged();
  }
}
