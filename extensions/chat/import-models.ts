import type { Database } from '../../kernel/contract/index.js';

/** Kind of an imported record. */
export type ImportedKind = 'person' | 'room' | 'message';

/** The records of exports that were imported. They stay when what was made of them is deleted, which is not made again. */
function imported(db: Database) {
  const { string } = db.columns;
  return db.define('imported', {
    source: string(64, { primaryKey: true }),
    kind: string<ImportedKind>(16, { primaryKey: true }),
    /** Id in the export. */
    source_id: string(200, { primaryKey: true }),
    /** Id of the member, session or message. */
    target: string(36),
  });
}

/** The table of imports. */
export const importModels = (db: Database) => ({ imported: imported(db) });
