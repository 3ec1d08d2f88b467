import type { Test } from 'tap';
import { Balancer } from './balancer.js';
import { temporaryFolder } from './platform.js';
import { type PostgresServer, startOwnPostgres } from './postgres.js';
import { type RedisServer, startRedis } from './redis.js';
import { type ServerProcess, startServer } from './server-process.js';

/** An instance, and what its answers call it. */
export interface Instance extends ServerProcess {
  readonly name: string;
}

/** Instances of one installation, each a process with a data folder of its own, behind a balancer. */
export interface Instances {
  /** Address of the balancer. */
  readonly url: string;
  readonly balancer: Balancer;
  readonly all: readonly Instance[];
  /** Its own server, which a test may stop and start. */
  readonly postgres: PostgresServer;
  readonly database_url: string;
  readonly redis: RedisServer;
  /** One more, which the balancer knows of once it listens. */
  start(name: string): Promise<Instance>;
}

/** Starts one for each name. What is left of them ends with the test. */
export async function startInstances(t: Test, names: readonly string[], environment: Record<string, string> = {}): Promise<Instances> {
  const [postgres, redis] = await Promise.all([startOwnPostgres(), startRedis()]);
  t.teardown(() => Promise.all([postgres.dispose(), redis.stop()]));
  const database_url = await postgres.fresh();
  const shared = {
    PLATFORM_DATABASE_URL: database_url,
    PLATFORM_BUS_URL: redis.url,
    PLATFORM_SECRET_KEY: 'a master key for tests, 32 chars',
    ...environment,
  };
  const run = async (name: string): Promise<Instance> => {
    const PLATFORM_DATA_DIR = await temporaryFolder(t);
    return { name, ...(await startServer(t, { ...shared, PLATFORM_DATA_DIR, PLATFORM_INSTANCE_NAME: name })) };
  };
  const all = await Promise.all(names.map(run));
  const balancer = await Balancer.start(all.map(({ url }) => url));
  t.teardown(() => balancer.close());
  const start = async (name: string) => {
    const instance = await run(name);
    all.push(instance);
    balancer.add(instance.url);
    return instance;
  };
  return { url: balancer.url, balancer, all, postgres, database_url, redis, start };
}
