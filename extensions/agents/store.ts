import type { Database } from '../../kernel/contract/index.js';

/** Table `agents_default`: its one row is made at the first start and stays. */
export interface Store {
  /** Makes the row; false where there is one. Waits for another instance's transaction that makes it too. */
  begin(): Promise<boolean>;
  /** The default AI employee, undefined where it is gone. */
  default(): Promise<number | undefined>;
  setDefault(member_id: number): Promise<void>;
  /** Takes a member away from being the default. */
  forget(member_id: number): Promise<void>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

export function openStore(db: Database): Store {
  return {
    begin: async () => (await db.run('INSERT INTO agents_default (id, member_id) VALUES (1, NULL) ON CONFLICT DO NOTHING')) === 1,
    default: async () => {
      const [row] = await db.rows<{ member_id: number | null }>('SELECT member_id FROM agents_default');
      return row?.member_id ?? undefined;
    },
    setDefault: async (member_id) => {
      await db.run('UPDATE agents_default SET member_id = $1', [member_id]);
    },
    forget: async (member_id) => {
      await db.run('UPDATE agents_default SET member_id = NULL WHERE member_id = $1', [member_id]);
    },
    transaction: (work) => db.transaction(work),
  };
}
