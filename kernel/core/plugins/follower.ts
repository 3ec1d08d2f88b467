import type { Bus } from '../../contract/journal.js';
import { type Changed, changedChannel, type Installer } from './installer.js';

export interface FollowerOptions {
  installer: Pick<Installer, 'converge' | 'differing'>;
  bus: Bus;
  instance: string;
  clock: { now(): number };
  /** Whether there may be other instances. */
  clustered: boolean;
  /** Called when the extensions that can't be followed change. */
  lagged: () => void;
  log: { error(message: string, fields?: object): void };
}

/** Should the word of a change have been lost. */
const look_every_ms = 15_000;
/** Failed changes are retried: soon, because a machine or server may have been too busy, then less and less often. */
const first_retry_ms = look_every_ms;
const max_retry_ms = 300_000;

/** Why a change could not be followed, and how often it was tried. */
interface Lag {
  error: string;
  tries: number;
  retry_at: number;
}

/** Follows what other instances install, remove, and switch on and off. */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #lagging = new Map<string, Lag>();
  #looking: Promise<void> | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Begins to follow; gives what ends it. */
  async start(): Promise<() => Promise<void>> {
    const { bus, instance, clustered } = this.#options;
    const unsubscribe = await bus.subscribe(changedChannel, (change: Changed) => {
      if (change.instance !== instance) void this.#follow(change);
    });
    const timer = clustered ? setInterval(() => this.look(), look_every_ms).unref() : undefined;
    return async () => {
      clearInterval(timer);
      await unsubscribe();
      await this.#looking;
    };
  }

  /** Why this instance has not followed the last change of an extension, as a sentence. */
  lagOf(id: string): string | undefined {
    return this.#lagging.get(id)?.error;
  }

  /** Looks for what differs here. */
  look(): void {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  async #look(): Promise<void> {
    const { installer, clock, log } = this.#options;
    try {
      for (const id of await installer.differing()) {
        if (clock.now() >= (this.#lagging.get(id)?.retry_at ?? 0)) await this.#follow({ id });
      }
    } catch (err) {
      log.error('What is installed could not be compared with what runs here', { err });
    }
  }

  async #follow(change: Omit<Changed, 'instance'>): Promise<void> {
    const { installer, clock, log, lagged } = this.#options;
    const { id } = change;
    try {
      await installer.converge(change);
      this.#lagging.delete(id);
    } catch (fault) {
      const error = fault instanceof Error ? fault.message : String(fault);
      const tries = (this.#lagging.get(id)?.tries ?? 0) + 1;
      const wait_ms = Math.min(first_retry_ms * 2 ** (tries - 1), max_retry_ms);
      this.#lagging.set(id, { error, tries, retry_at: clock.now() + wait_ms });
      log.error(`Extension '${id}' could not follow the change on another instance`, { err: fault });
    }
    lagged();
  }
}
