import type { Database } from '../../../kernel/contract/index.js';
import type { Models } from '../models.js';
import type { StoredPreference } from '../preferences/preference.js';

interface Locked {
  member_id: number;
  channels: Record<string, StoredPreference>;
}

/** A lock: creates missing rows of the members and locks all of them, in one statement. */
export function lockMembers(db: Database, model: Models['members'], ids: readonly number[]): Promise<Locked[]> {
  const rows = ids.map((_id, index) => `($${index + 1}, '{}', 0, 0)`).join();
  return db.rows<Locked>(
    `INSERT INTO notifications_members (member_id, channels, tests, tests_since) VALUES ${rows}
     ON CONFLICT (member_id) DO UPDATE SET channels = notifications_members.channels RETURNING member_id, channels`,
    ids,
    { model },
  );
}
