import type { Database } from '../../../kernel/contract/index.js';
import type { ExtensionType, Publisher } from '../contract.js';
import { listed } from './listed.js';
import { personOf } from './version-row.js';

/** An id, and to whom it belongs: to its owner, or to the source that it came from. */
export interface StoredExtension {
  id: string;
  type: ExtensionType;
  owner: Publisher | null;
  source: string | null;
  downloads: number;
}

/** To whom an id belongs. */
export type Origin = { owner: Publisher; source: null } | { owner: null; source: string };

interface Row {
  id: string;
  type: ExtensionType;
  owner_id: number | null;
  owner_name: string | null;
  source: string | null;
  downloads: number;
}

const columns = 'id, type, owner_id, owner_name, source, downloads';

/** Table `marketplace_extensions`. */
export class ExtensionStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async find(id: string): Promise<StoredExtension | undefined> {
    const [row] = await this.#db.rows<Row>(`SELECT ${columns} FROM marketplace_extensions WHERE id = $1`, [id]);
    return row && toExtension(row);
  }

  /** The same, held for the transaction that runs here: all that changes an id's versions takes its turn by it. */
  async lock(id: string): Promise<StoredExtension | undefined> {
    const [row] = await this.#db.rows<Row>(`SELECT ${columns} FROM marketplace_extensions WHERE id = $1 FOR UPDATE`, [id]);
    return row && toExtension(row);
  }

  /** From which source each of these ids comes that comes from one. */
  async sourcesOf(ids: readonly string[]): Promise<Map<string, string>> {
    const sql = `SELECT id, source FROM marketplace_extensions WHERE source IS NOT NULL AND id IN (SELECT value FROM ${listed(this.#db)})`;
    const rows = await this.#db.rows<{ id: string; source: string }>(sql, [JSON.stringify(ids)]);
    return new Map(rows.map(({ id, source }) => [id, source]));
  }

  /** Makes it where there is none, and gives it, held as by {@link lock}. */
  async claim(id: string, type: ExtensionType, { owner, source, now }: Origin & { now: string }): Promise<StoredExtension> {
    for (;;) {
      await this.#db.run(
        `INSERT INTO marketplace_extensions (id, type, owner_id, owner_name, source, downloads, created_at)
         VALUES ($1, $2, $3, $4, $5, 0, $6) ON CONFLICT DO NOTHING`,
        [id, type, owner?.member_id ?? null, owner?.username ?? null, source, now],
      );
      const claimed = await this.lock(id);
      // Whoever held it meanwhile may have removed it.
      if (claimed) return claimed;
    }
  }

  async give(id: string, type: ExtensionType, { owner, source }: Origin): Promise<void> {
    await this.#db.run('UPDATE marketplace_extensions SET type = $1, owner_id = $2, owner_name = $3, source = $4 WHERE id = $5', [
      type,
      owner?.member_id ?? null,
      owner?.username ?? null,
      source,
      id,
    ]);
  }

  async countDownload(id: string): Promise<void> {
    await this.#db.run('UPDATE marketplace_extensions SET downloads = downloads + 1 WHERE id = $1', [id]);
  }

  async delete(id: string): Promise<void> {
    await this.#db.run('DELETE FROM marketplace_extensions WHERE id = $1', [id]);
  }
}

function toExtension({ id, type, owner_id, owner_name, source, downloads }: Row): StoredExtension {
  return { id, type, owner: personOf(owner_id, owner_name), source, downloads };
}
