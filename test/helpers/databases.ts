import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { type Test } from 'tap';
import type { Clock, Log } from '../../kernel/contract/index.js';
import { type Data, type DataOptions, openData } from '../../kernel/platform/data/hub.js';
import { skipWithout } from './parts.js';
import { type PostgresServer, postgresPrograms, startOwnPostgres, startPostgres } from './postgres.js';

/** Where a test's database is, so that it can be opened once more. */
export interface Place {
  readonly url: string;
  readonly data_dir: string;
  /** Opens it again, as another instance or the next start would; closed at the test's end. */
  open(options?: Partial<DataOptions>): Promise<Data>;
}

type Work = (t: Test, data: Data, place: Place) => Promise<void>;

/**
 * Runs a subtest on SQLite and one on PostgreSQL, each with an empty database of its own. With `alone` no other test uses the server,
 * if there are programs to start one: an open transaction of any database holds events back.
 */
export async function eachDatabase(t: Test, work: Work, { alone = false } = {}): Promise<void> {
  await t.test('sqlite', async (t) => withDatabase(t, 'sqlite:', work));
  const isOwn = alone && postgresPrograms() !== undefined;
  await t.test('postgres', { skip: skipWithout('postgres') }, async (t) =>
    withDatabase(t, isOwn ? await ownPostgres(t) : await freshPostgres(), work),
  );
}

async function ownPostgres(t: Test): Promise<string> {
  const server = await startOwnPostgres();
  t.teardown(() => server.dispose());
  return server.fresh();
}

/** An empty PostgreSQL database on this test file's server, which starts at the first call. */
export async function freshPostgres(): Promise<string> {
  return (await postgresServer()).fresh();
}

/** This test file's PostgreSQL server. */
function postgresServer(): Promise<PostgresServer> {
  server ??= startPostgres();
  return server;
}

let server: Promise<PostgresServer> | undefined;
tap.teardown(async () => (await server)?.dispose());

/** A folder of the test's own, removed at its end. */
export async function temporaryFolder(t: Test): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'platform-test-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}

export const systemClock: Clock = { now: () => Date.now(), iso: () => new Date().toISOString() };

export const silentLog: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

async function withDatabase(t: Test, url: string, work: Work): Promise<void> {
  const data_dir = await temporaryFolder(t);
  const open = async (options: Partial<DataOptions> = {}) => {
    const data = await openData({ url, data_dir, clock: systemClock, log: silentLog, ...options });
    t.teardown(() => data.close());
    return data;
  };
  await work(t, await open(), { url, data_dir, open });
}
