import type { Bus } from '../../contract/journal.js';
import type { TransactionalListener } from '../catalog/draft.js';
import type { Data } from '../ports.js';
import { addEvent } from './events-sql.js';
import type { Listeners } from './listeners.js';

export interface EventsOptions {
  data: Data;
  bus: Bus;
  clock: { iso(): string };
  /** Returns the current listeners that run inside the emitter's transaction. */
  transactionalListeners: (topic: string) => readonly TransactionalListener[];
  /** Id of this process. */
  instance: string;
  listeners: Pick<Listeners, 'of'>;
}

/** Bus channel on which instances announce new rows of the outbox. */
export const outboxChannel = 'kernel.outbox';

/** Message on {@link outboxChannel}. */
export interface Announcement {
  topic: string;
  /** The instance whose process emitted the event. */
  instance: string;
  /** Extensions to which that instance delivers the event itself; absent from an earlier version. */
  extensions?: readonly string[];
}

/**
 * Emits events of extensions. Handlers registered with `take` run inside the emitter's transaction; for those registered with
 * `listen` the same transaction writes the event to the outbox.
 */
export class Events {
  readonly #options: EventsOptions;

  constructor(options: EventsOptions) {
    this.#options = options;
  }

  async emit(topic: string, payload: unknown): Promise<void> {
    const { data, clock, transactionalListeners } = this.#options;
    const db = data.facade('kernel');
    await db.transaction(async () => {
      for (const listener of transactionalListeners(topic)) await listener.handler(payload);
      await addEvent(db, { topic, payload: JSON.stringify(payload), emitted_at: clock.iso() });
      db.afterCommit(() => this.#announce(topic));
    });
  }

  #announce(topic: string): void {
    // A lost announcement delays delivery by a few seconds: listeners also poll.
    const { bus, instance, listeners } = this.#options;
    const announcement: Announcement = { topic, instance, extensions: listeners.of(topic) };
    bus.publish(outboxChannel, announcement).catch(() => undefined);
  }
}
