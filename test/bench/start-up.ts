import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from './statistics.js';

const run = promisify(execFile);
export const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
const rounds = 7;

/** How long the server takes until it listens, and how long `--help` and a list take, beside the least that a Node program needs. */
export async function startUp(): Promise<Record<string, unknown>[]> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  const empty = new URL('./limits/empty-commander.js', import.meta.url);
  try {
    const environment = { ...process.env, PLATFORM_DATA_DIR: join(folder, 'data'), PLATFORM_PORT: '0', PLATFORM_LOG_LEVEL: 'error' };
    await serveOnce(environment);
    const nothing: number[] = [];
    const serve: number[] = [];
    const list: number[] = [];
    const help: number[] = [];
    const commander: number[] = [];
    const memory: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      nothing.push(await timed(process.execPath, ['-e', '0']));
      const { ready_ms, pss_mb, list_ms } = await serveOnce(environment);
      serve.push(ready_ms);
      list.push(list_ms);
      memory.push(pss_mb);
      commander.push(await timed(process.execPath, [fileURLToPath(empty), '--help']));
      help.push(await timed(main, ['--help']));
    }
    return [
      { what: 'serve until it listens', ms: median(serve), limit_ms: median(nothing), ratio: median(ratios(serve, nothing)), goal: 11 },
      { what: '--help', ms: median(help), limit_ms: median(commander), ratio: median(ratios(help, commander)), goal: 1.8 },
      { what: 'member list over the socket', ms: median(list), limit_ms: median(nothing), ratio: median(ratios(list, nothing)), goal: 6 },
      { what: 'memory (PSS) once it listens', mb: median(memory), limit_mb: await emptyMemory(), goal: 107 },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function ratios(values: readonly number[], limits: readonly number[]): number[] {
  return values.map((value, n) => value / (limits[n] as number));
}

async function timed(program: string, args: string[], env = process.env): Promise<number> {
  const started = performance.now();
  await run(program, args, { env });
  return performance.now() - started;
}

interface Served {
  ready_ms: number;
  pss_mb: number;
  list_ms: number;
}

async function serveOnce(env: NodeJS.ProcessEnv): Promise<Served> {
  const started = performance.now();
  const child = spawn(main, ['serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ready_ms = (await listening(child)) - started;
  await pause(500);
  const pss_mb = proportionalSize(child.pid as number);
  const list_ms = await timed(main, ['member', 'list'], env);
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { ready_ms, pss_mb, list_ms };
}

/** Measures the memory of a Node program that only waits. */
async function emptyMemory(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("ready")'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await pause(500);
  const pss_mb = proportionalSize(child.pid as number);
  child.kill('SIGTERM');
  await once(child, 'exit');
  return pss_mb;
}

/** Returns the time at which a server listens. */
export async function listening(child: ChildProcess): Promise<number> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (line.startsWith('listening on ')) return performance.now();
  }
  throw new Error('The server ended before it listened');
}

/** The process's memory with what it shares divided among those who share it, as Linux counts it. */
export function proportionalSize(pid: number): number {
  const line = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  return Number(line?.[1]) / 1024;
}
