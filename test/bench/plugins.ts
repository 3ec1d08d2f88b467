import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { Child } from './child.js';
import { compare } from './requests.js';
import { percentile } from './statistics.js';

interface Ready {
  url: string;
  token: string;
}

/** Figures of the platform's process since the last request for them. */
interface Figures {
  rss_mb: number;
  max_mb: number;
  loop_delay_ms_p99: number;
}

const path = '/api/x/bench/greet?name=Ada';

/** Requests per second of an operation in a plugin's process beside those of the same code in the platform's own. */
export async function pluginCalls(): Promise<Record<string, unknown>[]> {
  const [ours, limit] = [await startServer('plugin'), await startServer('inside')];
  try {
    return [await compare(path, { ...ours.ready, pid: ours.child.pid }, { ...limit.ready, pid: limit.child.pid })];
  } finally {
    await Promise.all([ours.child.stop(), limit.child.stop()]);
  }
}

const startServer = (where: 'plugin' | 'inside') => Child.start<Ready>('./plugins-server.js', [where]);

const every_ms = 10;
const count = 1_000;
// With what is around it, an upload has 50 MiB.
const load = { streams: 100, uploads: 3, upload_bytes: 50 * 1024 * 1024 - 1024 };

/** Rates of three uploads: over a network of 1 Gbit/s, and from this machine itself, which uses up its processors. */
const loads = [
  { what: '3 uploads of 50 MiB by 1 Gbit/s, 100 unread streams', bytes_per_s: 125e6 },
  { what: '3 uploads of 50 MiB without a limit, 100 unread streams', bytes_per_s: 0 },
] as const;

/** As much goes through the plugin before, for so long, and then nothing: what V8 has to compile is no part of what a ping takes. */
const warm_ms = 3_000;
const settling_ms = 1_500;

/** How long a ping of a plugin takes, every 10 ms, while nothing else goes through it, and while much does. */
export async function pluginPings(): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (const one of loads) found.push(...(await pingsBeside(one)));
  return found;
}

async function pingsBeside({ what, bytes_per_s }: (typeof loads)[number]): Promise<Record<string, unknown>[]> {
  const { child: server, ready } = await startServer('plugin');
  const order = { ...ready, ...load, bytes_per_s };
  try {
    const { rss_mb } = await server.ask<Figures>('figures');
    await beside(order, () => pause(warm_ms));
    await pause(settling_ms);
    await pings(ready, 100);
    const idle = await pings(ready, count);
    const warm = await server.ask<Figures>('figures');
    const { found: loaded, uploaded } = await beside(order, () => pings(ready, count));
    const { max_mb, loop_delay_ms_p99 } = await server.ask<Figures>('figures');
    const memory = { rss_mb_at_start: rss_mb, max_mb: Math.max(warm.max_mb, max_mb) };
    return [
      { what: 'alone', ...summary(idle) },
      { what, ...summary(loaded), loop_delay_ms_p99, uploaded, ...memory, grown_mb: memory.max_mb - rss_mb },
    ];
  } finally {
    await server.stop();
  }
}

/** Returns the findings of `work` while a plugin is busy, and the number of uploads that ended meanwhile. */
async function beside<T>(order: object, work: () => Promise<T>): Promise<{ found: T; uploaded: number }> {
  const { child } = await Child.start('./plugins-load.js');
  try {
    await child.ask(order);
    const found = await work();
    return { found, ...(await child.ask<{ uploaded: number }>('stop')) };
  } finally {
    await child.stop();
  }
}

async function pings({ url, token }: Ready, times: number): Promise<number[]> {
  const pool = new Pool(url, { connections: 64, pipelining: 1 });
  const took: number[] = [];
  const one = async () => {
    const started = performance.now();
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers: { authorization: `Bearer ${token}` } });
    const text = await body.text();
    if (statusCode !== 200 || text !== '{"greeting":"Hello, Ada"}') throw new Error(`A ping was answered ${statusCode}: ${text}`);
    took.push(performance.now() - started);
  };
  const all: Promise<void>[] = [];
  for (let n = 0; n < times; n += 1) {
    all.push(one());
    await pause(every_ms);
  }
  await Promise.all(all);
  await pool.close();
  return took;
}

function summary(took: readonly number[]) {
  return { pings: took.length, ms_p50: percentile(took, 0.5), ms_p99: percentile(took, 0.99), ms_max: Math.max(...took) };
}
