import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { adminPassword } from './platform.js';

/** The platform in a process of its own, as `platform serve` starts it. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Whether it still runs. */
  alive(): boolean;
  /** Returns what it wrote to standard error. */
  log(): string;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

const program = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

/** Starts one with these settings; whatever is left of it is killed after the test. */
export async function startServer(t: Test, environment: Record<string, string>): Promise<ServerProcess> {
  const env = { PATH: process.env.PATH ?? '', PLATFORM_PORT: '0', PLATFORM_ADMIN_PASSWORD: adminPassword, ...environment };
  const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => end(child, 'SIGKILL'));
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  for await (const line of createInterface(child.stdout)) {
    const [, url] = /^listening on (\S+)$/.exec(line) ?? [];
    if (url) return { url, pid: child.pid as number, alive: () => isAlive(child), log: () => log, kill: (signal) => end(child, signal) };
  }
  throw new Error(`The server ended before it listened:\n${log}`);
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (isAlive(child)) {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
}
