import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connection } from './driver.js';

/** A transaction that runs, as everything awaited inside it finds it. */
export class Session {
  readonly connection: Connection;
  readonly afterCommit: (() => void)[] = [];
  #open = true;
  #fault: { error: unknown } | undefined;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  get open(): boolean {
    return this.#open;
  }

  /**
   * Runs one statement or one inner transaction. A fault of it dooms the whole, on SQLite as on
   * PostgreSQL (where nothing runs any more after a failed statement), so that what works on one works on both.
   */
  async guard<T>(work: () => Promise<T>): Promise<T> {
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
  }

  abandon(): void {
    this.#open = false;
  }

  #check(): void {
    if (!this.#open) throw new Error('A statement came after the end of the transaction that it was started in: something is not awaited');
    if (this.#fault) throw new Error('This transaction has failed already; nothing more runs in it', { cause: this.#fault.error });
  }
}

/** Which transaction runs here; one for each database. */
export type Scope = AsyncLocalStorage<Session>;

export function createScope(): Scope {
  return new AsyncLocalStorage<Session>();
}
