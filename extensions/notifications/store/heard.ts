import type { Database } from '../../../kernel/contract/index.js';

/** Table `notifications_heard`: up to which cursor the events of a topic have been handled. */
export class Heard {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Runs `work` in the transaction that notes the cursor; not for what was handled already: events come at least once. */
  async once(topic: string, cursor: string, work: () => Promise<unknown>): Promise<void> {
    await this.#db.transaction(async () => {
      const noted = await this.#db.run(
        `INSERT INTO notifications_heard (topic, cursor) VALUES ($1, $2)
         ON CONFLICT (topic) DO UPDATE SET cursor = excluded.cursor WHERE notifications_heard.cursor < excluded.cursor`,
        [topic, cursor],
      );
      if (noted > 0) await work();
    });
  }
}
