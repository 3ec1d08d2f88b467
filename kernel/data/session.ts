import type { PartsOf } from '../contract/data.js';
import type { Connection } from './driver.js';

/** A transaction that runs, as everything awaited inside it finds it. */
export class Session {
  readonly connection: Connection;
  readonly afterCommit: (() => void)[] = [];
  #open = true;
  #pending = 0;
  /** How many groups of parts run now whose statements wait for none. */
  #groups = 0;
  #last: Promise<unknown> = Promise.resolve();
  #fault: { error: unknown } | undefined;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  get open(): boolean {
    return this.#open;
  }

  /** Runs one statement, after those that were asked for before it, but for those of parts that run {@link beside} each other. */
  statement<T>(work: () => Promise<T>): Promise<T> {
    const last = this.#last;
    const waits = this.#pending > 0 && this.#groups === 0;
    const turn = waits ? last.then(() => this.join(work)) : this.join(work);
    this.#pending += 1;
    const ended = turn.then(this.#ended, this.#ended);
    this.#last = waits ? ended : Promise.all([last, ended]);
    return turn;
  }

  /** Runs parts of it whose statements wait for none of the others'. Where one fails, it fails as the first to do so, once all have ended. */
  async beside<Results extends readonly unknown[]>(parts: PartsOf<Results>): Promise<Results> {
    this.#groups += 1;
    try {
      const ends = await Promise.allSettled(parts.map((part) => part()));
      if (this.#fault) throw this.#fault.error;
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      return ends.map((end) => (end as PromiseFulfilledResult<unknown>).value) as unknown as Results;
    } finally {
      this.#groups -= 1;
    }
  }

  readonly #ended = (): void => {
    this.#pending -= 1;
  };

  /**
   * Runs a part of it. A fault dooms the whole, on SQLite as on PostgreSQL (where nothing runs any more
   * after a failed statement), so that what works on one works on both.
   */
  async join<T>(work: () => Promise<T>): Promise<T> {
    this.#check();
    try {
      return await work();
    } catch (error) {
      this.#fault ??= { error };
      throw error;
    }
  }

  /** Ends it before the commit; throws what doomed it. */
  seal(): void {
    this.#open = false;
    if (this.#fault) throw this.#fault.error;
    if (this.#pending > 0)
      throw new Error('The work of a transaction ended while a statement of it was still running: something is not awaited');
  }

  /** Ends it before the rollback, once nothing runs in it any more. */
  async abandon(): Promise<void> {
    this.#open = false;
    await this.#last;
  }

  #check(): void {
    if (!this.#open) throw new Error('A statement came after the end of the transaction that it was started in: something is not awaited');
    if (this.#fault) throw new Error('This transaction has failed already; nothing more runs in it', { cause: this.#fault.error });
  }
}
