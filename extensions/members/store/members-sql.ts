import { byCodePoint, type Database, hotRead, placeholders } from '../../../kernel/contract/index.js';
import type { Models } from '../models.js';
import type { StoredMember } from './members.js';

const fields = 'id, username, nickname, role, is_virtual, active, remote_node_id, created_at, post, mode, version, first_password, plugin';

/** Statements on members that models cannot run, or only too slowly. */
export function memberStatements(db: Database, model: Models['members']) {
  const byId = hotRead<StoredMember>(db, `SELECT ${fields} FROM members_members WHERE id = $1`, { model });
  const key = byCodePoint(db, 'username_key');
  return {
    /** Reads a member. Benchmark rows `sends` and `requests`: nearly every operation does. */
    byId: async (id: number) => (await byId(id))[0],

    /** Reads members. Benchmark rows `sends` and `requests`: each list of sessions or messages does. */
    byIds: (ids: readonly number[]) =>
      db.rows<StoredMember>(`SELECT ${fields} FROM members_members WHERE id IN (${placeholders(ids)}) ORDER BY id`, ids, { model }),

    /** Finds names in a range. Benchmark row `growth`: uses the index, which PostgreSQL has by code points; `LIKE` would read all names. */
    namesBetween: (from: string, to: string) =>
      db.rows<{ username_key: string }>(`SELECT username_key FROM members_members WHERE ${key} >= $1 AND ${key} < $2`, [from, to]),

    /** Sets many sort keys in one statement, because the start of the extension waits for it. Models would need a statement for each. */
    setNameKeys: (keys: readonly (readonly [id: number, name_key: string])[]) => {
      const rows = keys.map((_, n) => `(CAST($${2 * n + 1} AS INTEGER), $${2 * n + 2})`).join(', ');
      return db.run(
        `WITH made (id, name_key) AS (VALUES ${rows}) UPDATE members_members SET name_key = made.name_key FROM made
         WHERE members_members.id = made.id AND members_members.name_key IS NULL`,
        keys.flat(),
      );
    },
  };
}
