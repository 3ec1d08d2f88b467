import { type Database, hotRead } from '../../kernel/contract/index.js';
import { beginFirstStart, defaultEmployee } from './agents-sql.js';
import type { Models } from './models.js';

export type Store = ReturnType<typeof openStore>;

/** Opens the table `agents_default`. Its single row is created at the first start and stays. */
export function openStore(db: Database, model: Models['default']) {
  const read = hotRead<{ member_id: number | null }>(db, defaultEmployee);
  return {
    /** Creates the row; false if it exists. Waits for another instance's transaction that creates it. */
    begin: async (): Promise<boolean> => (await db.run(beginFirstStart)) === 1,
    /** Returns the default AI employee; undefined if it was deleted. */
    default: async (): Promise<number | undefined> => (await read())[0]?.member_id ?? undefined,
    setDefault: async (member_id: number): Promise<void> => {
      await model.update({ member_id }, { where: {} });
    },
    /** Clears the default if it is this member. */
    forget: async (member_id: number): Promise<void> => {
      await model.update({ member_id: null }, { where: { member_id } });
    },
    transaction: <T>(work: () => Promise<T>): Promise<T> => db.transaction(work),
  };
}
