import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Migration } from '../../../../kernel/contract/index.js';
import { eachDatabase } from '../../../helpers/databases.js';
import { schemaOf } from '../../../helpers/schema.js';

const extensions = new URL('../../../../extensions/', import.meta.url);
const folder = join(process.cwd(), 'test/kernel/platform/data/schema');

/** The migrations of an extension; undefined if it has none. */
async function migrationsOf(id: string): Promise<readonly Migration[] | undefined> {
  const { default: extension } = (await import(new URL(`${id}/index.js`, extensions).href)) as { default: { migrations?: Migration[] } };
  return extension.migrations;
}

// Migrations that have run somewhere never run there again: one that is written anew must make the same schema. After a new migration
// the files are written with: SCHEMA=write node dist/test/run.js dist/test/kernel/platform/data/schema.test.js
t.test('the migrations of the kernel and the extensions create the stored schema', (t) =>
  eachDatabase(t, async (t, data) => {
    for (const id of readdirSync(extensions).sort()) {
      const migrations = await migrationsOf(id);
      if (migrations) await data.migrate(id, migrations);
    }
    const found = await schemaOf(data.facade('kernel'));
    const file = join(folder, `${data.dialect}.txt`);
    if (process.env.SCHEMA === 'write') await writeFile(file, found);
    t.equal(found, await readFile(file, 'utf8'));
  }),
);
