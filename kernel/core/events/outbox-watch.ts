import type { Bus } from '../../contract/journal.js';
import type { ChildLog } from '../ports.js';
import { type Announcement, outboxChannel } from './events.js';
import type { Loop } from './loop.js';

interface Listening {
  extension: string;
  topic: string;
  loop: Loop;
}

interface OutboxWatchOptions {
  bus: Bus;
  log: ChildLog;
  /** Names this process. */
  instance: string;
  /** Reads for which listeners something stands in the outbox; also those of other processes. */
  waiting: () => Promise<{ extension: string; topic: string }[]>;
}

/** How often it is looked without a word, should one have been lost. */
const poll_ms = 5_000;
/** Time after which another instance has delivered what it emitted. */
const others_ms = 500;

/**
 * Wakes the listeners of this process that have something to deliver. What was emitted here they deliver at once, and what an instance
 * emitted that has no such listener. Of what others deliver nothing is done but one look a moment later, for all listeners and
 * all that was emitted until then: an instance that has died in between leaves nothing undelivered.
 */
export class OutboxWatch {
  readonly #options: OutboxWatchOptions;
  readonly #all = new Set<Listening>();
  #subscribed: Promise<() => Promise<void>> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #planned_at = Number.POSITIVE_INFINITY;

  constructor(options: OutboxWatchOptions) {
    this.#options = options;
  }

  /** The extensions that listen to a topic. */
  of(topic: string): string[] {
    return [...this.#all].filter((one) => one.topic === topic).map(({ extension }) => extension);
  }

  /** Wakes a listener from when it resolves; gives what ends it. */
  async add(listening: Listening): Promise<() => Promise<void>> {
    this.#all.add(listening);
    const remove = async (): Promise<void> => {
      if (!this.#all.delete(listening) || this.#all.size > 0) return;
      const subscribed = this.#subscribed;
      this.#subscribed = undefined;
      this.#unplan();
      await subscribed?.then((end) => end());
    };
    const subscribed = this.#subscribed ?? this.#options.bus.subscribe(outboxChannel, (word: Announcement) => this.#hear(word));
    this.#subscribed = subscribed;
    try {
      await subscribed;
    } catch (fault) {
      if (this.#subscribed === subscribed) this.#subscribed = undefined;
      await remove();
      throw fault;
    }
    this.#plan(poll_ms);
    return remove;
  }

  #hear({ topic, instance, extensions = [] }: Announcement): void {
    for (const { extension, topic: own, loop } of this.#all) {
      if (own !== topic) continue;
      const isOthers = instance !== this.#options.instance && extensions.includes(extension);
      // One that has the lease just now delivers this too: whoever emitted it can't.
      if (isOthers && !loop.isRunning) this.#plan(others_ms);
      else loop.wake();
    }
  }

  /** Looks in so many ms at the latest. */
  #plan(in_ms: number): void {
    const at = performance.now() + in_ms;
    if (at >= this.#planned_at) return;
    clearTimeout(this.#timer);
    this.#planned_at = at;
    this.#timer = setTimeout(() => void this.#look(), in_ms).unref();
  }

  #unplan(): void {
    clearTimeout(this.#timer);
    this.#planned_at = Number.POSITIVE_INFINITY;
  }

  async #look(): Promise<void> {
    // This look may miss events that are announced from here on.
    this.#unplan();
    try {
      for (const found of await this.#options.waiting()) this.#wake(found);
    } catch (err) {
      this.#options.log.warn('For which listeners something waits could not be read just now', { err });
    }
    if (this.#all.size > 0) this.#plan(poll_ms);
  }

  #wake({ extension, topic }: { extension: string; topic: string }): void {
    for (const one of this.#all) if (one.extension === extension && one.topic === topic) one.loop.wake();
  }
}
