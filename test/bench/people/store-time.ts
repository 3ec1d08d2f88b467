import { readdirSync, readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import pg from 'pg';
import { cpuTime } from '../cpu-time.js';

/** Returns the main process of a PostgreSQL server on this machine. */
export async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return parentOf(rows[0]?.pid ?? 0) ?? 0;
  } finally {
    await client.end();
  }
}

/** Returns the processor time of a process and its children so far, also of those that have ended, in microseconds. */
export function familyTime(pid: number): number {
  const children = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) && parentOf(Number(name)) === pid ? Number(name) : []));
  return [pid, ...children].reduce((sum, one) => sum + timeOf(one), endedTime(pid));
}

/** Returns the processor time of a Redis server so far, in microseconds. */
export async function redisTime(url: string): Promise<number> {
  const redis = new Redis(url);
  try {
    const info = await redis.info('cpu');
    return ['sys', 'user'].reduce((sum, kind) => sum + Number(new RegExp(`used_cpu_${kind}:([\\d.]+)`).exec(info)?.[1] ?? 0) * 1e6, 0);
  } finally {
    redis.disconnect();
  }
}

/** Returns the processor time of children that have ended, as Linux counts it: in ticks of 10 ms. */
function endedTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10_000;
}

/** A process may end meanwhile. */
function timeOf(pid: number): number {
  try {
    return cpuTime(pid);
  } catch {
    return 0;
  }
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
  } catch {
    return undefined;
  }
}
