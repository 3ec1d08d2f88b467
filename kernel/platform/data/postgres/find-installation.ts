import pg from 'pg';
import { codeOf } from '../failures.js';
import { explain } from './faults.js';

const wait_ms = 10_000;
const findMigrations = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'kernel_migrations'";
const no_such_database = '3D000';

/**
 * Returns whether a PostgreSQL database has a platform's tables, without creating any; `missing` if the database doesn't exist. Fails with
 * `database_unavailable` or `database_busy` after at most 20 s.
 */
export async function findInstallation(url: string): Promise<'installation' | 'empty' | 'missing'> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: wait_ms, query_timeout: wait_ms });
  // The next statement reports the broken connection.
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
