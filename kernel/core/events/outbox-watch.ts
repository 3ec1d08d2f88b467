import type { Bus } from '../../contract/journal.js';
import type { ChildLog } from '../ports.js';
import { type Announcement, outboxChannel } from './events.js';
import type { Loop } from './loop.js';

interface ActiveListener {
  extension: string;
  topic: string;
  loop: Loop;
}

interface OutboxWatchOptions {
  bus: Bus;
  log: ChildLog;
  /** Id of this process. */
  instance: string;
  /** Reads the listeners with waiting events, including those of other processes. */
  waiting: () => Promise<{ extension: string; topic: string }[]>;
}

/** Poll interval, in case an announcement was lost. */
const poll_ms = 5_000;
/** Time in which another instance should have delivered what it emitted. */
const others_ms = 500;

/**
 * Wakes the listeners of this process that have waiting events. They deliver at once what was emitted here or by an instance without
 * such a listener. For events that another instance delivers, one poll a moment later checks all listeners, so that nothing stays
 * undelivered if that instance dies.
 */
export class OutboxWatch {
  readonly #options: OutboxWatchOptions;
  readonly #all = new Set<ActiveListener>();
  #subscribed: Promise<() => Promise<void>> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #planned_at = Number.POSITIVE_INFINITY;

  constructor(options: OutboxWatchOptions) {
    this.#options = options;
  }

  /** Returns the extensions that listen to a topic. */
  of(topic: string): string[] {
    return [...this.#all].filter((one) => one.topic === topic).map(({ extension }) => extension);
  }

  /** Adds a listener, woken from when this resolves. Returns a function that removes it. */
  async add(listening: ActiveListener): Promise<() => Promise<void>> {
    this.#all.add(listening);
    const remove = async (): Promise<void> => {
      if (!this.#all.delete(listening) || this.#all.size > 0) return;
      const subscribed = this.#subscribed;
      this.#subscribed = undefined;
      this.#unplan();
      await subscribed?.then((end) => end());
    };
    const subscribed =
      this.#subscribed ?? this.#options.bus.subscribe(outboxChannel, (message: Announcement) => this.#onAnnouncement(message));
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

  #onAnnouncement({ topic, instance, extensions = [] }: Announcement): void {
    for (const { extension, topic: own, loop } of this.#all) {
      if (own !== topic) continue;
      const isOthers = instance !== this.#options.instance && extensions.includes(extension);
      // A listener that runs here has the lease, so the emitting instance can't deliver this event.
      if (isOthers && !loop.isRunning) this.#plan(others_ms);
      else loop.wake();
    }
  }

  /** Schedules a poll in at most `in_ms`. */
  #plan(in_ms: number): void {
    const at = performance.now() + in_ms;
    if (at >= this.#planned_at) return;
    clearTimeout(this.#timer);
    this.#planned_at = at;
    this.#timer = setTimeout(() => void this.#poll(), in_ms).unref();
  }

  #unplan(): void {
    clearTimeout(this.#timer);
    this.#planned_at = Number.POSITIVE_INFINITY;
  }

  async #poll(): Promise<void> {
    // This poll may miss events announced from here on.
    this.#unplan();
    try {
      for (const found of await this.#options.waiting()) this.#wake(found);
    } catch (err) {
      this.#options.log.warn('Could not read which listeners have waiting events; retrying', { err });
    }
    if (this.#all.size > 0) this.#plan(poll_ms);
  }

  #wake({ extension, topic }: { extension: string; topic: string }): void {
    for (const one of this.#all) if (one.extension === extension && one.topic === topic) one.loop.wake();
  }
}
