import type { SqlValue } from '../../contract/data.js';
import type { Data } from '../data/hub.js';

const max_rows = 500;

/** Stores in the database when members were last seen. */
export class SeenStore {
  readonly #data: Data;

  constructor(data: Data) {
    this.#data = data;
  }

  /** Reads last-seen times in ISO 8601; members never seen are missing. */
  async read(member_ids: readonly number[]): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    for (const ids of pages(member_ids)) {
      const rows = await this.#data.models.presence.findAll({ where: { member_id: ids }, raw: true });
      for (const { member_id, last_seen_at } of rows) found.set(member_id, last_seen_at);
    }
    return found;
  }

  /**
   * Writes many times in one statement that keeps the later of each; models would need a read first. Sorted by id, so that two
   * instances can't deadlock.
   */
  async write(seen: ReadonlyMap<number, string>): Promise<void> {
    for (const rows of pages([...seen].sort(([one], [other]) => one - other))) {
      const values = rows.map((_, at) => `($${at * 2 + 1}, $${at * 2 + 2})`).join(', ');
      const sql = `INSERT INTO kernel_presence (member_id, last_seen_at) VALUES ${values} ON CONFLICT (member_id)
        DO UPDATE SET last_seen_at = excluded.last_seen_at WHERE excluded.last_seen_at > kernel_presence.last_seen_at`;
      await this.#data.facade('kernel').run(sql, rows.flat() as SqlValue[]);
    }
  }

  async delete(member_id: number): Promise<void> {
    await this.#data.models.presence.destroy({ where: { member_id } });
  }
}

function* pages<T>(items: readonly T[]): Iterable<T[]> {
  for (let from = 0; from < items.length; from += max_rows) yield items.slice(from, from + max_rows);
}
