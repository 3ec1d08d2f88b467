import { byCodePoint, type Database, hotRead, placeholders } from '../../../kernel/contract/index.js';
import type { Models } from '../models.js';
import type { StoredMember } from './members.js';

const fields =
  'id, username, nickname, role, is_virtual, active, remote_node_id, created_at, post, mode, version, first_password, plugin, email';

/** Statements on members that models can't express, or run too slowly. Each names its reason; benchmark rows are those of `npm run bench`. */
export function memberStatements(db: Database, model: Models['members']) {
  const byId = hotRead<StoredMember>(db, `SELECT ${fields} FROM members_members WHERE id = $1`, { model });
  const usernameKey = byCodePoint(db, 'username_key');
  return {
    /** Reads one member. Nearly every operation does so (benchmark rows `sends` and `requests`). */
    byId: async (id: number) => (await byId(id))[0],

    /** Reads members, ordered by id. Each list of sessions or messages does so (benchmark rows `sends` and `requests`). */
    byIds: (ids: readonly number[]) =>
      db.rows<StoredMember>(`SELECT ${fields} FROM members_members WHERE id IN (${placeholders(ids)}) ORDER BY id`, ids, { model }),

    /**
     * Finds the lower-case user names from `from` up to, but without, `to`. Compares by code points, as the index does; `LIKE` would read
     * all names (benchmark row `growth`).
     */
    namesBetween: (from: string, to: string) =>
      db.rows<{ username_key: string }>(`SELECT username_key FROM members_members WHERE ${usernameKey} >= $1 AND ${usernameKey} < $2`, [
        from,
        to,
      ]),

    /**
     * Sets the sort keys of nicknames (`name_key`) that are still missing, many in one statement: the start of the extension waits for it,
     * and models would need a statement for each member.
     */
    setNameKeys: (entries: readonly (readonly [id: number, name_key: string])[]) => {
      const rows = entries.map((_, index) => `(CAST($${2 * index + 1} AS INTEGER), $${2 * index + 2})`).join(', ');
      return db.run(
        `WITH computed (id, name_key) AS (VALUES ${rows}) UPDATE members_members SET name_key = computed.name_key FROM computed
         WHERE members_members.id = computed.id AND members_members.name_key IS NULL`,
        entries.flat(),
      );
    },
  };
}
