import type { Connection } from './driver.js';

/** A transaction that runs, as everything awaited inside it finds it. */
export class Session {
  readonly connection: Connection;
  readonly afterCommit: (() => void)[] = [];
  #open = true;
  #pending = 0;
  #last: Promise<unknown> = Promise.resolve();
  #fault: { error: unknown } | undefined;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  get open(): boolean {
    return this.#open;
  }

  /** Runs one statement, after those that were asked for before it: a connection runs one at a time. */
  statement<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#pending === 0 ? this.join(work) : this.#last.then(() => this.join(work));
    this.#pending += 1;
    const ended = () => {
      this.#pending -= 1;
    };
    this.#last = turn.then(ended, ended);
    return turn;
  }

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
