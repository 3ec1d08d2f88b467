import type { Test } from 'tap';
import { freshPostgres } from './databases.js';
import { skipWithout } from './parts.js';
import { type PlatformOptions, startPlatform, type TestPlatform, temporaryFolder } from './platform.js';
import { startRedis } from './redis.js';

type Setting = NonNullable<PlatformOptions['settings']>;

/** Parts that all instances of one installation share: a database, a Redis, and the master key. */
export async function sharedSettings(t: Test): Promise<Setting> {
  const redis = await startRedis();
  t.teardown(() => redis.stop());
  return { database_url: await freshPostgres(), bus_url: redis.url, secret_key: 'a master key for tests, 32 chars' };
}

/** Several instances of one installation in this process, each with a data folder of its own. */
export async function startCluster(t: Test, count: number, { settings, ...options }: PlatformOptions = {}): Promise<TestPlatform[]> {
  const shared = await sharedSettings(t);
  const platforms: TestPlatform[] = [];
  for (let n = 0; n < count; n += 1) platforms.push(await startPlatform(t, { ...options, settings: { ...shared, ...settings } }));
  return platforms;
}

/** Runs a subtest on SQLite with the memory bus, and one on PostgreSQL with Redis. */
export async function eachPlatform(
  t: Test,
  options: PlatformOptions,
  work: (t: Test, platform: TestPlatform, again: () => Promise<TestPlatform>) => Promise<void>,
): Promise<void> {
  const withSettings = async (t: Test, settings: Setting) => {
    const again = () => startPlatform(t, { ...options, settings: { ...options.settings, ...settings } });
    await work(t, await again(), again);
  };
  await t.test('sqlite and memory', async (t) => {
    await withSettings(t, { data_dir: await temporaryFolder(t) });
  });
  await t.test('postgres and redis', { skip: skipWithout('postgres', 'redis') }, async (t) => withSettings(t, await sharedSettings(t)));
}
