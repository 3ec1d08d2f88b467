import type { Database } from '../../../kernel/contract/index.js';

/** The event of each topic that was handled last. */
export class Heard {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Runs `work` in the transaction that notes the cursor; not for the one that was handled last. Events come at least once, in
   * order, and one is not followed by the next before it was handled: so it is the last that may come again.
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
