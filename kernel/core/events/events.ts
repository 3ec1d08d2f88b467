import type { Bus } from '../../contract/journal.js';
import type { Taker } from '../catalog/draft.js';
import type { Data } from '../ports.js';
import { addEvent } from './events-sql.js';
import type { Listeners } from './listeners.js';

export interface EventsOptions {
  data: Data;
  bus: Bus;
  clock: { iso(): string };
  /** The extensions that take part in the emitter's transaction now. */
  takers: (topic: string) => readonly Taker[];
  /** Names this process. */
  instance: string;
  listeners: Pick<Listeners, 'of'>;
}

/** The channel on which instances tell each other that the outbox has something new. */
export const outboxChannel = 'kernel.outbox';

/** The payload. */
export interface Announcement {
  topic: string;
  /** The extension that emitted it. */
  instance: string;
  /** To which extensions it delivers it itself. An earlier version doesn't say. */
  extensions?: readonly string[];
}

/**
 * Events of extensions. What is emitted is handled inside the emitter's transaction by those who
 * `take` it, and stands in the outbox, in that same transaction, for those who `listen`.
 */
export class Events {
  readonly #options: EventsOptions;

  constructor(options: EventsOptions) {
    this.#options = options;
  }

  async emit(topic: string, payload: unknown): Promise<void> {
    const { data, clock, takers } = this.#options;
    const db = data.facade('kernel');
    await db.transaction(async () => {
      for (const taker of takers(topic)) await taker.handler(payload);
      await addEvent(db, { topic, payload: JSON.stringify(payload), emitted_at: clock.iso() });
      db.afterCommit(() => this.#announce(topic));
    });
  }

  #announce(topic: string): void {
    // A lost announcement costs a few seconds: listeners also look by themselves.
    const { bus, instance, listeners } = this.#options;
    const word: Announcement = { topic, instance, extensions: listeners.of(topic) };
    bus.publish(outboxChannel, word).catch(() => undefined);
  }
}
