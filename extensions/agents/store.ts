import { type Database, hotRead } from '../../kernel/contract/index.js';
import { beginFirstStart, defaultEmployee } from './agents-sql.js';
import type { Models } from './models.js';

export type Store = ReturnType<typeof openStore>;

/** Table `agents_default`: its one row is made at the first start and stays. */
export function openStore(db: Database, model: Models['default']) {
  const read = hotRead<{ member_id: number | null }>(db, defaultEmployee);
  return {
    /** Makes the row; false if there is one. Waits for another instance's transaction that makes it too. */
    begin: async (): Promise<boolean> => (await db.run(beginFirstStart)) === 1,
    /** The default AI employee; undefined if it is gone. */
    default: async (): Promise<number | undefined> => (await read())[0]?.member_id ?? undefined,
    setDefault: async (member_id: number): Promise<void> => {
      await model.update({ member_id }, { where: {} });
    },
    /** Takes a member away from being the default. */
    forget: async (member_id: number): Promise<void> => {
      await model.update({ member_id: null }, { where: { member_id } });
    },
    transaction: <T>(work: () => Promise<T>): Promise<T> => db.transaction(work),
  };
}
