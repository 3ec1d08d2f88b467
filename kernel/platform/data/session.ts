import type { Connection } from './driver.js';

/** A running transaction, shared by everything awaited inside it. */
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

  /** Runs a statement after the earlier ones, because a connection runs one at a time. */
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
   * Runs a part of the transaction. A fault fails the whole, on SQLite as on PostgreSQL (which runs nothing after a failed statement), so
   * that both behave the same.
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

  /** Closes the transaction before the commit; throws its first fault. */
  seal(): void {
    this.#open = false;
    if (this.#fault) throw this.#fault.error;
    if (this.#pending > 0) throw new Error('The work of a transaction ended while one of its statements was running: an await is missing');
  }

  /** Closes the transaction before the rollback and waits for its last statement. */
  async abandon(): Promise<void> {
    this.#open = false;
    await this.#last;
  }

  #check(): void {
    if (!this.#open) throw new Error('A statement was started after its transaction had ended: an await is missing');
    if (this.#fault) throw new Error('This transaction has failed already; it runs no further statements', { cause: this.#fault.error });
  }
}
