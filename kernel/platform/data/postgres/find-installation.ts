import pg from 'pg';
import { codeOf } from '../failures.js';
import { explain } from './faults.js';

const wait_ms = 10_000;
const findMigrations = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'kernel_migrations'";
const no_such_database = '3D000';

/**
 * Tells whether a PostgreSQL database has a platform's tables, without making any. `missing`: the server has no database of that
 * name. Fails with `database_unavailable` or `database_busy`, after at most 20 s.
 */
export async function findInstallation(url: string): Promise<'installation' | 'empty' | 'missing'> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: wait_ms, query_timeout: wait_ms });
  // Reported by the statement that finds the connection broken.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query(findMigrations);
    return rowCount === 0 ? 'empty' : 'installation';
  } catch (thrown) {
    if (codeOf(thrown) === no_such_database) return 'missing';
    throw explain(thrown);
  } finally {
    await client.end().catch(() => undefined);
  }
}
