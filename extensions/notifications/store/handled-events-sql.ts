import type { Database } from '../../../kernel/contract/index.js';

/** Members per transaction. */
const portion = 200;
/** Separates an event's cursor, which has no space, from the last member of a portion. */
const separator = ' ';

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
      if (await this.#claim(topic, cursor)) await work();
    });
  }

  /**
   * Runs `work` for members in ascending order, at most 200 at once, in a transaction each: other writers get their turn in between. An
   * event that is repeated after a crash continues behind the last portion.
   */
  async handleInPortions(
    { topic, cursor }: { topic: string; cursor: string },
    members: readonly number[],
    work: (members: readonly number[]) => Promise<unknown>,
  ): Promise<void> {
    const [last] = await this.#db.rows<{ cursor: string }>('SELECT cursor FROM notifications_heard WHERE topic = $1', [topic]);
    const [known, done] = (last?.cursor ?? '').split(separator);
    const left = known === cursor ? members.filter((id) => id > Number(done)) : members;
    for (let start = 0; start < left.length; start += portion) {
      const some = left.slice(start, start + portion);
      await this.handleOnce(topic, `${cursor}${separator}${some.at(-1)}`, () => work(some));
    }
  }

  /** Returns whether this process is the first to handle the event. A claim: only then it changes a row. */
  async #claim(topic: string, cursor: string): Promise<boolean> {
    const changed = await this.#db.run(
      `INSERT INTO notifications_heard (topic, cursor) VALUES ($1, $2)
       ON CONFLICT (topic) DO UPDATE SET cursor = excluded.cursor WHERE notifications_heard.cursor <> excluded.cursor`,
      [topic, cursor],
    );
    return changed > 0;
  }
}
