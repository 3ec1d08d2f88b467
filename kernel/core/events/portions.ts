import type { Database, SqlValue } from '../../contract/data.js';

interface Deletion {
  /** Deletes at most a portion. */
  sql: string;
  values: readonly SqlValue[];
  portion: number;
}

/** Deletes in portions, so that other writers get their turn in between; gives how many rows. */
export async function deleteAll(db: Database, { sql, values, portion }: Deletion): Promise<number> {
  let removed = 0;
  for (;;) {
    const rows = await db.run(sql, values);
    removed += rows;
    if (rows < portion) return removed;
  }
}
