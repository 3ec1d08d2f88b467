import type { Migration } from '../../contract/data.js';
import { allMigrations } from '../data/database-sql.js';
import { checkKnown } from '../data/migrate.js';
import { failMove } from './codes.js';
import type { Source } from './source-sql.js';

/**
 * Asserts that the program of the source's last start has made the same tables as this one. Fails with `schema_newer`,
 * `move_source_older` and `move_extension_missing`.
 */
export async function assertSame(source: Source, migrations: ReadonlyMap<string, readonly Migration[]>): Promise<void> {
  const ran = await allMigrations(source);
  for (const [owner, rows] of ran) {
    const known = migrations.get(owner);
    if (!known)
      throw failMove(
        'move_extension_missing',
        `The installation has tables of the extension '${owner}', which this program does not have`,
        {
          fix: 'run the program that has it',
        },
      );
    checkKnown(owner, rows, known);
  }
  for (const [owner, known] of migrations) {
    const names = new Set((ran.get(owner) ?? []).map(({ name }) => name));
    const missing = known.find(({ name }) => !names.has(name));
    if (missing)
      throw failMove(
        'move_source_older',
        `The installation is older than this program: the migration ${missing.name} of '${owner}' has not run there`,
        {
          fix: 'update it by starting it once with this program: platform serve',
        },
      );
  }
}
