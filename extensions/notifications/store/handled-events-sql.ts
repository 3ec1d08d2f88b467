import type { Database } from '../../../kernel/contract/index.js';

/** The event of each topic that was handled last. */
export class HandledEvents {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Runs `work` in the transaction that stores the cursor; skips the event that was handled last. Events come at least
   * once, in order, and each is handled before the next: so only the last one can repeat.
   */
  async handleOnce(topic: string, cursor: string, work: () => Promise<unknown>): Promise<void> {
    await this.#db.transaction(async () => {
      // A claim: changes a row only if this process is the first to handle the event.
      const changed = await this.#db.run(
        `INSERT INTO notifications_heard (topic, cursor) VALUES ($1, $2)
         ON CONFLICT (topic) DO UPDATE SET cursor = excluded.cursor WHERE notifications_heard.cursor <> excluded.cursor`,
        [topic, cursor],
      );
      if (changed > 0) await work();
    });
  }
}
