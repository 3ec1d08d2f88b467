import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';
import { cpuTime } from './cpu-time.js';
import { forked } from './forked.js';
import { message } from './message.js';
import { median } from './statistics.js';

interface Side {
  url: string;
  token: string;
  pid: number;
}

interface Rate {
  per_s: number;
  /** Processor time of the server's process for each request, which other programs on the machine hardly change. */
  cpu_us: number;
}

const rounds = 5;
const round_ms = 3_000;
const connections = 32;

/** Requests per second of the platform beside those of bare hapi with the same token, validation and SQL. */
export async function requests(): Promise<Record<string, unknown>[]> {
  const ours = await start('./requests-server.js');
  const { database, member } = ours.ready as unknown as { database: string; member: number };
  const limit = await start('./limits/sessions.js', [database, String(member)]);
  try {
    const paths = ['/api/chat/sessions?limit=20', '/healthz'];
    const results: Record<string, unknown>[] = [];
    for (const path of paths) results.push(await compare(path, ours.ready, limit.ready));
    return results;
  } finally {
    await Promise.all([stop(ours.child), stop(limit.child)]);
  }
}

async function start(file: string, args: string[] = []): Promise<{ child: ChildProcess; ready: Side & Record<string, unknown> }> {
  const child = forked(file, args);
  const [ready] = await message(child);
  return { child, ready: { ...(ready as Side & Record<string, unknown>), pid: child.pid as number } };
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Both in turn, so that a machine that grows slower meets them alike. */
export async function compare(path: string, ours: Side, limit: Side): Promise<Record<string, unknown>> {
  const [mine, its] = await Promise.all([bodyOf(ours, path), bodyOf(limit, path)]);
  if (mine !== its) throw new Error(`${path}: the answers differ:\n${mine.slice(0, 300)}\n${its.slice(0, 300)}`);
  await rate(ours, path, 1_000);
  await rate(limit, path, 1_000);
  const pairs: [Rate, Rate][] = [];
  for (let round = 0; round < rounds; round += 1) pairs.push([await rate(ours, path, round_ms), await rate(limit, path, round_ms)]);
  const ratios = pairs.map(([a, b]) => a.per_s / b.per_s);
  return {
    path,
    requests_per_s: Math.round(median(pairs.map(([a]) => a.per_s))),
    limit_requests_per_s: Math.round(median(pairs.map(([, b]) => b.per_s))),
    ratio: median(ratios),
    ratio_min: Math.min(...ratios),
    ratio_max: Math.max(...ratios),
    cpu_us: median(pairs.map(([a]) => a.cpu_us)),
    limit_cpu_us: median(pairs.map(([, b]) => b.cpu_us)),
    ratio_by_cpu: median(pairs.map(([a, b]) => b.cpu_us / a.cpu_us)),
  };
}

async function bodyOf({ url, token }: Side, path: string): Promise<string> {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  return response.text();
}

/** Requests per second on 32 connections, one after the other on each. */
async function rate({ url, token, pid }: Side, path: string, ms: number): Promise<Rate> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}` };
  const started = performance.now();
  const cpu = cpuTime(pid);
  let answered = 0;
  const lane = async () => {
    while (performance.now() - started < ms) {
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  const seconds = (performance.now() - started) / 1000;
  const cpu_us = (cpuTime(pid) - cpu) / answered;
  await pool.close();
  return { per_s: answered / seconds, cpu_us };
}
