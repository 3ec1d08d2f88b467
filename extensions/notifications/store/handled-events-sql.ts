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
  async once(topic: string, cursor: string, work: () => Promise<unknown>): Promise<void> {
    await this.#db.transaction(async () => {
      // A claim: tells whether this process is the first to handle the event.
      const noted = await this.#db.run(
        `INSERT INTO notifications_heard (topic, cursor) VALUES ($1, $2)
         ON CONFLICT (topic) DO UPDATE SET cursor = excluded.cursor WHERE notifications_heard.cursor <> excluded.cursor`,
        [topic, cursor],
      );
      if (noted > 0) await work();
    });
  }
}
