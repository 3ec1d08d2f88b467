import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { findPart } from '../helpers/parts.js';
import { startOwnPostgres } from '../helpers/postgres.js';
import { startRedis } from '../helpers/redis.js';
import { Child } from './child.js';
import { cpuTime } from './cpu-time.js';
import { Haproxy } from './haproxy.js';
import { median } from './statistics.js';

const rounds = 7;
const round_ms = 2_000;
/**
 * Requests that each instance gets before the measurement. What one costs falls until there were about 4,000, while V8 compiles, and is flat
 * from there on: with fewer, the instances that take part in fewer rounds would cost more for that alone.
 */
const warm_requests = 5_000;
/** And so many each balancer. */
const warm_balancer_requests = 500;
const max_warm_ms = 60_000;
/** Requests under way for each instance: with fewer for each, one does less in each turn of its loop, and is woken more often. */
const lanes = 16;

type Kind = 'sqlite' | 'postgres' | 'limit';

/** A server of one installation, or of the limit. */
interface Instance {
  child: Child;
  url: string;
  token: string;
  member: number;
}

/** Some of them behind a balancer. */
interface Setup {
  kind: Kind;
  instances: readonly Instance[];
  balancer: Haproxy;
}

interface Rate {
  per_s: number;
  /** Processor time of all its instances for a request, and of the balancer. */
  cpu_us: number;
  balancer_cpu_us: number;
}

/**
 * Requests per second through the balancer of `deploy/` to one, two and three instances on PostgreSQL and Redis, and to one on SQLite, with
 * what a request costs in processor time: each comes on a connection of its own. Three reads to one write. `ratio` is to one instance on
 * PostgreSQL, `ratio_to_single_process` to the one on SQLite, with which an installation begins. Beside them as many processes
 * of bare hapi with the same tables and statements: what those cost more, the machine makes three of any such processes cost, whose
 * caches forget one while another runs. Each instance is as warm as the others, and has as many requests under way, however many there
 * are; clients, balancer, PostgreSQL and Redis share the machine with them.
 */
export async function instances(): Promise<Record<string, unknown>[]> {
  for (const part of ['postgres', 'redis', 'haproxy'] as const)
    if (!findPart(part)) throw new Error(`Instances can't be measured here: ${part} is missing`);
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 3 })];
  try {
    return await measure(await setUp(folder, ends));
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function setUp(folder: string, ends: (() => Promise<unknown>)[]): Promise<Setup[]> {
  const start = async (file: string, ...args: string[]): Promise<Instance> => {
    const { child, ready } = await Child.start<Omit<Instance, 'child'>>(file, args);
    ends.push(() => child.stop());
    return { child, ...ready };
  };
  const behind = async (kind: Kind, all: readonly Instance[]): Promise<Setup> => {
    const urls = all.map(({ url }) => url);
    const balancer = await Haproxy.start(folder, urls);
    ends.push(() => balancer.stop());
    return { kind, instances: all, balancer };
  };
  const setups = [await behind('sqlite', [await start('./instances-server.js', join(folder, 'alone'))])];
  const [postgres, redis] = await Promise.all([startOwnPostgres(), startRedis()]);
  ends.push(() => Promise.all([postgres.dispose(), redis.stop()]));
  const database_url = await postgres.fresh();
  const platforms: Instance[] = [];
  const limits: Instance[] = [];
  for (const name of ['one', 'two', 'three']) {
    platforms.push(await start('./instances-server.js', join(folder, name), database_url, redis.url));
    limits.push(await start('./limits/shared-sessions.js', database_url, `${platforms[0]?.member}`));
    setups.push(await behind('postgres', [...platforms]), await behind('limit', [...limits]));
  }
  const [platform, limit] = await Promise.all([platforms[0], limits[0]].map((one) => sessionsOf(one as Instance)));
  if (platform !== limit) throw new Error(`The answers differ:\n${platform?.slice(0, 300)}\n${limit?.slice(0, 300)}`);
  return setups;
}

async function sessionsOf({ url, token }: Instance): Promise<string> {
  const response = await fetch(`${url}${list}`, { headers: { authorization: `Bearer ${token}` } });
  return response.text();
}

/** All in turn, so that a machine that grows slower meets them alike: a ratio is the median of those of each round. */
async function measure(setups: readonly Setup[]): Promise<Record<string, unknown>[]> {
  const rates = setups.map((): Rate[] => []);
  await warm(setups);
  for (let round = 0; round < rounds; round += 1)
    for (const [at, setup] of setups.entries()) rates[at]?.push(await rate(setup, { ms: round_ms, requests: Number.POSITIVE_INFINITY }));
  const of = (kind: Kind, count: number) => rates[setups.findIndex((one) => one.kind === kind && one.instances.length === count)] ?? [];
  const ratio = (all: readonly Rate[], one: readonly Rate[]) =>
    median(all.map(({ cpu_us }, round) => cpu_us / (one[round]?.cpu_us ?? Number.NaN)));
  return setups
    .filter(({ kind }) => kind !== 'limit')
    .map(({ kind, instances: { length: count } }) => {
      const row = { database: kind, instances: count, ...medians(of(kind, count)), ratio: ratio(of(kind, count), of('postgres', 1)) };
      if (kind !== 'postgres') return row;
      const ratio_to_single_process = ratio(of(kind, count), of('sqlite', 1));
      const [limit_cpu_us, limit_ratio] = [medians(of('limit', count)).cpu_us, ratio(of('limit', count), of('limit', 1))];
      return { ...row, ratio_to_single_process, limit_cpu_us, limit_ratio, ratio_beside_limit: row.ratio / limit_ratio };
    });
}

/** Each instance alike, by the setup that has all of its kind. */
async function warm(setups: readonly Setup[]): Promise<void> {
  for (const setup of setups) {
    const { kind, instances } = setup;
    const isWhole = setups.every((other) => other.kind !== kind || other.instances.length <= instances.length);
    const requests = isWhole ? warm_requests * instances.length : warm_balancer_requests;
    await rate(setup, { ms: max_warm_ms, requests });
  }
}

function medians(rates: readonly Rate[]): Rate {
  const of = (figure: keyof Rate) => median(rates.map((rate) => rate[figure]));
  return { per_s: of('per_s'), cpu_us: of('cpu_us'), balancer_cpu_us: of('balancer_cpu_us') };
}

/** On some lanes for each instance, one request after the other on each, for so long or until there were so many. */
async function rate({ instances, balancer }: Setup, max: { ms: number; requests: number }): Promise<Rate> {
  const connections = lanes * instances.length;
  const pool = new Pool(balancer.url, { connections, pipelining: 0 });
  const headers = { authorization: `Bearer ${instances[0]?.token}`, 'content-type': 'application/json' };
  const used = () => instances.reduce((sum, { child }) => sum + cpuTime(child.pid), 0);
  const [began, before, its] = [performance.now(), used(), cpuTime(balancer.pid)];
  let answered = 0;
  const lane = async (_: unknown, number: number) => {
    for (let n = number; performance.now() - began < max.ms && answered < max.requests; n += 1) {
      const { statusCode, body } = await pool.request({ ...askOf(n), headers });
      await body.dump();
      if (statusCode >= 300) throw new Error(`A request was answered with ${statusCode}`);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  const seconds = (performance.now() - began) / 1000;
  const [cpu_us, balancer_cpu_us] = [(used() - before) / answered, (cpuTime(balancer.pid) - its) / answered];
  await pool.close();
  return { per_s: answered / seconds, cpu_us, balancer_cpu_us };
}

const path = '/api/chat/sessions';
const list = `${path}?limit=20`;

function askOf(n: number): { method: 'GET' | 'POST'; path: string; body?: string } {
  if (n % 4 === 0) return { method: 'POST', path, body: JSON.stringify({ title: 'Bench', target_type: '', target_id: '' }) };
  return { method: 'GET', path: list };
}
