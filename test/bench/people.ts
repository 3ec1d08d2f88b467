import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPart } from '../helpers/parts.js';
import { startOwnPostgres } from '../helpers/postgres.js';
import { startRedis } from '../helpers/redis.js';
import { Child } from './child.js';
import { cpuTime, cpuTimeOfTree } from './cpu-time.js';
import { Haproxy } from './haproxy.js';
import { password } from './log-in.js';
import type { Company, PeopleOrder, Stage } from './people/generator.js';
import { published, rules, unneeded, withoutCounterpart } from './people/model.js';
import { type Most, most, type Steps } from './people/most.js';
import type { Identity } from './people/person.js';
import type { GrowOrder } from './people/server.js';
import { familyTime, postmasterOf, redisTime } from './people/store-time.js';

type Row = Record<string, unknown>;

export interface PeopleExtent extends Steps {
  /** How long each number of people is measured. Theirs looks at the last minute. */
  seconds: number;
  /** Time after people have come in, before it is measured. */
  settle_ms: number;
  setups: readonly Setup[];
}

interface Setup {
  database: 'sqlite' | 'postgres';
  instances: number;
}

/** Processes of a setup. */
interface Running {
  instances: readonly Child[];
  balancer: Haproxy | undefined;
  generator: Child;
  /** Processor time of database and bus so far, in microseconds. */
  storeTime: () => Promise<number>;
}

/** A number of people, and the cores that each part used meanwhile. */
interface Measured {
  stage: Stage;
  server_cores: number;
  balancer_cores: number;
  store_cores: number;
  server_memory_mb: number;
  /** The rule that was broken. */
  broken: string | undefined;
}

const whole: PeopleExtent = {
  seconds: 60,
  settle_ms: 10_000,
  first: 1_000,
  // Each person has a socket at both ends, and processes may open 20,000 files.
  max: 8_000,
  halvings: 0,
  setups: [
    { database: 'sqlite', instances: 1 },
    { database: 'postgres', instances: 1 },
    { database: 'postgres', instances: 3 },
  ],
};

/**
 * Adds simulated people, who act as those of Mattermost's load test do, until one of its rules breaks. The people share the machine with
 * the servers; what they take is reported apart. People who come in have tokens already: logins are measured only as far as people log out
 * and in again.
 */
export async function people(extent: PeopleExtent = whole): Promise<Row[]> {
  const rows: Row[] = [];
  for (const setup of extent.setups) rows.push(await measureSetup(setup, extent));
  const requests = Object.entries(unneeded).map(([request, why]) => ({ request, why }));
  return [...rows, ...withoutCounterpart(), ...requests];
}

async function measureSetup(setup: Setup, extent: PeopleExtent): Promise<Row> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 3 })];
  try {
    const running = await start(setup, folder, ends);
    return rowOf(setup, await search(running, extent), extent);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function start({ database, instances: count }: Setup, folder: string, ends: (() => Promise<unknown>)[]): Promise<Running> {
  const store = database === 'sqlite' ? { url: 'sqlite:', time: async () => 0 } : await startPostgres(ends);
  const redis = count > 1 ? await started(startRedis(), (one) => one.stop(), ends) : undefined;
  const instances: Child[] = [];
  const urls: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const args = [join(folder, `instance-${n}`), store.url, redis?.url ?? 'memory:'];
    const { child, ready } = await started(Child.start<{ url: string }>('./people/server.js', args), (one) => one.child.stop(), ends);
    instances.push(child);
    urls.push(ready.url);
  }
  const balancer = count > 1 ? await started(Haproxy.start(folder, urls), (one) => one.stop(), ends) : undefined;
  const { child: generator } = await started(
    Child.start('./people/generator.js', [balancer?.url ?? (urls[0] as string), password]),
    (one) => one.child.stop(),
    ends,
  );
  const storeTime = async () => (await store.time()) + (redis ? await redisTime(redis.url) : 0);
  return { instances, balancer, generator, storeTime };
}

async function startPostgres(ends: (() => Promise<unknown>)[]): Promise<{ url: string; time: () => Promise<number> }> {
  if (!findPart('postgres')) throw new Error("People can't be measured here: postgres is missing");
  const server = await started(startOwnPostgres(), (one) => one.dispose(), ends);
  const url = await server.fresh();
  const pid = await postmasterOf(url);
  return { url, time: async () => familyTime(pid) };
}

async function started<One>(starting: Promise<One>, stop: (one: One) => Promise<unknown>, ends: (() => Promise<unknown>)[]): Promise<One> {
  const one = await starting;
  ends.push(() => stop(one));
  return one;
}

async function search(running: Running, extent: PeopleExtent): Promise<Most<Measured>> {
  let there = 0;
  return most(async (people) => {
    const [first] = running.instances;
    const order: PeopleOrder = { acting: people };
    if (people > there) order.add = await (first as Child).ask<Identity[]>({ total: people } satisfies GrowOrder);
    there = Math.max(there, people);
    const { acting } = await running.generator.ask<Company>(order);
    await sleep(extent.settle_ms);
    const found = await measure(running, extent.seconds);
    // A crowd at the door slows down the people inside: such a figure doesn't count.
    if (acting < people) found.broken = `only ${acting} of ${people} people could come in`;
    progress(people, found);
    return { isKept: found.broken === undefined, found };
  }, extent);
}

async function measure({ instances, balancer, generator, storeTime }: Running, seconds: number): Promise<Measured> {
  const ofServers = () => instances.reduce((sum, { pid }) => sum + cpuTimeOfTree(pid), 0);
  const ofBalancer = () => (balancer ? cpuTime(balancer.pid) : 0);
  const before = [ofServers(), ofBalancer(), await storeTime()] as const;
  const stage = await generator.ask<Stage>({ seconds } satisfies PeopleOrder);
  const after = [ofServers(), ofBalancer(), await storeTime()] as const;
  const cores = (at: 0 | 1 | 2) => (after[at] - before[at]) / 1e6 / stage.seconds;
  return {
    stage,
    server_cores: cores(0),
    balancer_cores: cores(1),
    store_cores: cores(2),
    server_memory_mb: instances.reduce((sum, { pid }) => sum + memoryOf(pid), 0),
    broken: brokenRule(stage),
  };
}

function brokenRule({ requests, mean_ms, ms_p99, errors }: Stage): string | undefined {
  if (!(mean_ms <= rules.mean_ms)) return `mean over ${rules.mean_ms} ms`;
  if (!(ms_p99 <= rules.ms_p99)) return `p99 over ${rules.ms_p99} ms`;
  if (!((errors / requests) * 100 <= rules.errors_percent)) return `errors over ${rules.errors_percent} %`;
  return undefined;
}

function rowOf({ database, instances }: Setup, { people, kept, broken }: Most<Measured>, { max }: PeopleExtent): Row {
  const shown = kept ?? broken;
  if (!shown) throw new Error('No number of people was measured');
  const { stage, server_cores, balancer_cores, store_cores, server_memory_mb } = shown;
  const per = (count: number) => count / stage.seconds;
  return {
    database,
    instances,
    people,
    people_per_core: people / server_cores,
    published_least: published.least,
    published_most: published.most,
    limit: broken?.broken ?? `none up to ${max} people`,
    mean_ms: stage.mean_ms,
    ms_p99: stage.ms_p99,
    errors_percent: (stage.errors / stage.requests) * 100,
    refused_percent: (stage.refused / stage.requests) * 100,
    lost_sockets: stage.lost_sockets,
    requests_per_s: per(stage.requests),
    frames_per_s: per(stage.frames),
    actions_per_s: per(stage.actions),
    server_cores,
    ...(database === 'postgres' && { database_and_bus_cores: store_cores }),
    ...(instances > 1 && { balancer_cores }),
    generator_cores: per(stage.cpu_s),
    generator_delay_ms_p99: stage.loop_delay_ms_p99,
    server_memory_mb,
    slowest: slowestOf(stage),
  };
}

/** Names the operations that people waited for the longest in all. */
function slowestOf({ operations }: Stage): string {
  const sum = operations.reduce((total, { ms }) => total + ms, 0);
  return operations
    .slice(0, 5)
    .map(({ operation, requests, ms }) => `${operation} ${((ms / sum) * 100).toFixed(0)} % (${(ms / requests).toFixed(1)} ms)`)
    .join(', ');
}

/** Shows a stage at once, because the whole takes long. */
function progress(people: number, { stage, server_cores, store_cores, broken }: Measured): void {
  const { mean_ms, ms_p99, requests, seconds, frames, errors, refused, failures, cpu_s } = stage;
  const figures = [
    `mean ${mean_ms.toFixed(1)} ms, p99 ${ms_p99.toFixed(0)} ms`,
    `${(requests / seconds).toFixed(0)} requests/s, ${(frames / seconds).toFixed(0)} frames/s`,
    `cores: server ${server_cores.toFixed(2)}, stores ${store_cores.toFixed(2)}, people ${(cpu_s / seconds).toFixed(2)}`,
    `${errors} errors, ${refused} refused`,
    broken ?? 'kept',
  ];
  console.log(`${people} people: ${figures.join('; ')}`);
  for (const failure of failures) console.log(`  ${failure}`);
}

/** Returns the memory of a process in MiB. */
function memoryOf(pid: number): number {
  const pages = /^\d+ (\d+)/.exec(readFileSync(`/proc/${pid}/statm`, 'utf8'))?.[1];
  return (Number(pages) * 4096) / 2 ** 20;
}
