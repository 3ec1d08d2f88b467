import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';
import type { Log } from '../../kernel/contract/extension.js';
import type { JournalLimits } from '../../kernel/platform/journal/limits.js';
import { createLog } from '../../kernel/platform/log/log.js';
import { openTransport, type Transport } from '../../kernel/platform/transport/transport.js';
import { findPart, skipWithout } from './parts.js';
import { freePort } from './ports.js';
import { killed } from './processes.js';

const START_MS = 60_000;

/** A Redis of the test's own, on a free port, with its files in a temporary folder. */
export interface RedisServer {
  readonly url: string;
  /** SIGKILL: nothing is said to clients, nothing is saved. */
  kill(): Promise<void>;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
  /** Removes what it has saved; for one that is killed. */
  forget(): Promise<void>;
  /** SIGSTOP: it stays connected and answers nothing. */
  pause(): void;
  resume(): void;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/** Why tests that kill their Redis can't run here; false where they can. */
export function skipWithoutRedisServer(): false | string {
  return skipWithout('redis') || (program() === undefined && 'needs the program redis-server');
}

function program(): string | undefined {
  const found = findPart('redis', { PATH: process.env.PATH });
  return found && 'program' in found ? found.program : undefined;
}

/** @param persists - whether it saves what it has, and has it again after {@link RedisServer.kill}; default: no */
export async function startRedis({ persists = false } = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-redis-'));
  const port = await freePort();
  const launched = () => launch(folder, { port, persists });
  let starting = launched();
  let server = await starting;
  return {
    url: `redis://127.0.0.1:${port}`,
    kill: () => killed(server),
    start: async () => {
      starting = launched();
      server = await starting;
    },
    forget: () => rm(join(folder, 'appendonlydir'), { recursive: true, force: true }),
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    stop: async () => {
      await killed(await starting);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function launch(folder: string, { port, persists }: { port: number; persists: boolean }): Promise<ChildProcess> {
  const saving = ['--save', '', '--appendonly', persists ? 'yes' : 'no', '--appendfsync', 'everysec'];
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...saving];
  const server = spawn(program() ?? 'redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = (): void => void server.kill('SIGKILL');
  process.once('exit', kill);
  server.once('exit', () => process.off('exit', kill));
  const timer = setTimeout(kill, START_MS);
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      if (!line.includes('Ready to accept connections')) continue;
      server.stdout.resume();
      return server;
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error(`redis-server on port ${port} did not get ready within ${START_MS} ms`);
}

export const systemClock = { now: () => Date.now(), iso: () => new Date().toISOString() };

/** A log that keeps its lines. */
export function keepLog(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  return { log: createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } }), lines };
}

export interface TransportKit {
  readonly name: 'memory' | 'redis';
  /** Opens one more instance; closed when the test has ended. */
  open(limits?: Partial<JournalLimits>): Promise<Transport>;
  /** A name that no other test uses. */
  topic(): string;
}

/** Runs tests on both drivers. */
export async function eachTransport(t: Test, tests: (t: Test, kit: TransportKit) => void | Promise<void>): Promise<void> {
  await t.test('memory', async (t) => {
    await tests(t, kitFor(t, 'memory', 'memory:'));
  });
  await t.test('redis', { skip: skipWithout('redis') }, async (t) => {
    const url = process.env.PLATFORM_TEST_REDIS_URL || undefined;
    const server = url === undefined ? await startRedis() : undefined;
    if (server) t.teardown(() => server.stop());
    await tests(t, kitFor(t, 'redis', url ?? server?.url ?? ''));
  });
}

function kitFor(t: Test, name: TransportKit['name'], url: string): TransportKit {
  return {
    name,
    topic: () => `test.${randomUUID()}`,
    open: async (limits = {}) => {
      const transport = await openTransport({ url, clock: systemClock, log: keepLog().log, limits });
      t.teardown(() => transport.close());
      return transport;
    },
  };
}
