import type { Database, SqlValue } from '../../../kernel/contract/index.js';

export interface Named {
  id: number;
  username: string;
  role: string;
}

const batch = 500;
const username_start = 'lt0-testuser-';

/** Stores people with the administrator's password beside the platform, because hashing thousands of passwords takes minutes. */
export async function addPeople(
  db: Database,
  { first, last, admin_every }: { first: number; last: number; admin_every: number },
): Promise<Named[]> {
  const [admin] = await db.rows<{ id: number; password_hash: string }>(
    'SELECT id, password_hash FROM members_members WHERE password_hash IS NOT NULL ORDER BY id LIMIT 1',
  );
  const [newest] = await db.rows<{ id: number }>('SELECT max(id) AS id FROM members_members');
  for (let start = first; start <= last; start += batch) {
    const values: SqlValue[] = [admin?.password_hash ?? '', new Date().toISOString()];
    const rows = Array.from({ length: Math.min(batch, last - start + 1) }, (_, offset) => {
      const n = start + offset;
      const role = n % admin_every === admin_every / 2 ? 'admin' : 'member';
      const [username, nickname] = [`${username_start}${n}`, `Test User ${n}`];
      const at = values.push(username, nickname, `${username}\n${nickname}`.toLowerCase(), nickname.toLowerCase(), role) - 4;
      return `($${at}, $${at}, $${at + 1}, $${at + 2}, $${at + 3}, $1, $${at + 4}, FALSE, $2)`;
    });
    await db.run(
      `INSERT INTO members_members (username, username_key, nickname, search, name_key, password_hash, role, is_virtual, created_at)
       VALUES ${rows.join()}`,
      values,
    );
  }
  return db.rows<Named>('SELECT id, username, role FROM members_members WHERE id > $1 ORDER BY id', [newest?.id ?? 0]);
}
