import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Pool } from 'undici';
import { images, startDocker, type TestDocker } from '../helpers/docker/engine.js';
import { skipWithout } from '../helpers/parts.js';
import { Child } from './child.js';
import { cpuTime } from './cpu-time.js';
import { BareEngine } from './limits/exec.js';
import { median } from './statistics.js';

const run = promisify(execFile);
const creations = 9;
const execs = 60;
const polled = 50;
const polled_ms = 60_000;

/** Making a node beside `docker run -d`, a command in it beside the bare API, and what it costs to watch fifty. */
export async function nodes(): Promise<Record<string, unknown>[]> {
  const missing = skipWithout('docker', 'registry');
  if (missing) throw new Error(`This benchmark ${missing}`);
  const ends: (() => unknown)[] = [];
  try {
    const engine = await startDocker({ teardown: (end: () => unknown) => void ends.unshift(end) });
    const { child, ready } = await Child.start<Ready>('./nodes-server.js', [engine.url, images.busybox]);
    ends.unshift(() => child.stop());
    const pool = new Pool(ready.url, { connections: 4, bodyTimeout: 0 });
    ends.unshift(() => pool.close());
    const platform = { pool, token: ready.token };
    const made = await creation(platform, engine);
    const asked = await exec(platform, engine);
    return [made, asked, await watching(platform, child.pid)];
  } finally {
    for (const end of ends) await end();
  }
}

interface Ready {
  url: string;
  token: string;
}

interface Platform {
  pool: Pool;
  token: string;
}

async function creation(platform: Platform, engine: TestDocker): Promise<Record<string, unknown>> {
  // The first of each warms what both use, and fetches the image.
  await removed(platform, await create(platform, 'first'));
  const mine: number[] = [];
  const its: number[] = [];
  for (let round = 0; round < creations; round += 1) {
    let started = performance.now();
    const id = await create(platform, `made ${round}`);
    mine.push(performance.now() - started);
    await settled(platform, id);
    started = performance.now();
    const { stdout } = await run('docker', ['-H', engine.url, 'run', '-d', images.busybox, 'sleep', '2147483647']);
    its.push(performance.now() - started);
    await removed(platform, id);
    await run('docker', ['-H', engine.url, 'rm', '-f', stdout.trim()]);
  }
  const ratios = mine.map((ms, round) => ms / (its[round] as number));
  return { what: 'create until it is online', ms: median(mine), limit_ms: median(its), ratio: median(ratios) };
}

async function exec(platform: Platform, engine: TestDocker): Promise<Record<string, unknown>> {
  const bare = new BareEngine(engine.socket);
  const id = await create(platform, 'works');
  await settled(platform, id);
  const { container_id } = await ask<{ container_id: string }>(platform, 'GET', `/api/remote-nodes/${id}`);
  const mine: number[] = [];
  const its: number[] = [];
  for (let round = -5; round < execs; round += 1) {
    let started = performance.now();
    const ours = await output(platform, id, 'echo hello');
    const took = performance.now() - started;
    started = performance.now();
    const theirs = await bare.exec(container_id, ['sh', '-c', 'echo hello']);
    const limit = performance.now() - started;
    if (ours !== theirs) throw new Error(`The outputs differ: ${JSON.stringify([ours, theirs])}`);
    if (round < 0) continue;
    mine.push(took);
    its.push(limit);
  }
  bare.close();
  await removed(platform, id);
  return { what: 'a command, there and back', ms: median(mine), limit_ms: median(its), ratio: median(mine) / median(its) };
}

/** The share of one processor that the platform takes while it watches nodes, whose statistics it reads. */
async function watching(platform: Platform, pid: number): Promise<Record<string, unknown>> {
  const ids: number[] = [];
  for (let n = 0; n < polled; n += 1) ids.push(await create(platform, `watched ${n}`));
  for (const id of ids) await settled(platform, id);
  await sleep(5_000);
  const before = cpuTime(pid);
  await sleep(polled_ms);
  const cpu_percent = (cpuTime(pid) - before) / polled_ms / 10;
  for (const id of ids) await removed(platform, id);
  return { what: 'watching', nodes: polled, seconds: polled_ms / 1_000, cpu_percent };
}

async function create(platform: Platform, name: string): Promise<number> {
  const { id, status } = await ask<{ id: number; status: string }>(platform, 'POST', '/api/remote-nodes/docker', { name });
  if (status !== 'online') throw new Error(`The node '${name}' is ${status}`);
  return id;
}

/** Work behind a node that is online would slow down the next measurement. */
async function settled(platform: Platform, id: number): Promise<void> {
  while (!(await ask<{ walls: { fenced: boolean } }>(platform, 'GET', `/api/remote-nodes/${id}`)).walls.fenced) await sleep(50);
}

async function removed(platform: Platform, id: number): Promise<void> {
  await ask(platform, 'DELETE', `/api/remote-nodes/${id}`);
}

async function ask<Answer>({ pool, token }: Platform, method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
  const answer = await pool.request({ method, path, headers, body: body ? JSON.stringify(body) : null });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

async function output({ pool, token }: Platform, id: number, command: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ command });
  const answer = await pool.request({ method: 'POST', path: `/api/remote-nodes/${id}/exec`, headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`exec: ${answer.statusCode} ${text}`);
  const lines = text.split('\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => (JSON.parse(line.slice(6)) as { delta?: string }).delta ?? '').join('');
}
