import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import type { Target } from './attacks.js';

/** Where Docker and PostgreSQL listen; in the tests' own `/run`, with the rights that theirs have. */
const engine = '/run/docker.sock';
const database = '/run/postgresql/.s.PGSQL.5432';

/** Targets of attackers: real files, listeners and processes of the platform's user. */
export class Targets {
  readonly #folder: string;
  readonly #servers: Server[] = [];
  #port = 0;
  #victim: ChildProcess | undefined;

  readonly #platform_port: number;

  constructor(folder: string, platform_port: number) {
    this.#folder = folder;
    this.#platform_port = platform_port;
  }

  async open(): Promise<void> {
    await writeFile(join(this.#folder, 'secret'), 'a secret');
    await mkdir(join(this.#folder, 'open'));
    await chmod(join(this.#folder, 'open'), 0o777);
    await chmod(this.#folder, 0o755);
    const real = [
      [engine, 0o660],
      [database, 0o777],
    ] as const;
    for (const [path] of real) await mkdir(dirname(path), { recursive: true });
    for (const [path, mode] of [[join(this.#folder, 'private.sock'), 0o600], [join(this.#folder, 'open.sock'), 0o666], ...real] as const) {
      await this.#listen((server) => server.listen(path));
      await chmod(path, mode);
    }
    const server = await this.#listen((server) => server.listen(0, '0.0.0.0'));
    this.#port = (server.address() as { port: number }).port;
  }

  async of(target: Target | undefined): Promise<unknown> {
    switch (target) {
      case 'a file':
        return join(this.#folder, 'secret');
      case 'an open folder':
        return join(this.#folder, 'open');
      case 'the platform':
        return process.pid;
      case 'a victim':
        return this.#freshVictim();
      case 'a port':
        return { host: '127.0.0.1', port: this.#port };
      case "the platform's port":
        return { host: '127.0.0.1', port: this.#platform_port };
      case "the engine's socket":
        return engine;
      case "the database's socket":
        return database;
      case 'the metadata address':
        return { host: '169.254.169.254', port: this.#port };
      case 'a private socket':
        return join(this.#folder, 'private.sock');
      case 'an open socket':
        return join(this.#folder, 'open.sock');
      default:
        return undefined;
    }
  }

  /** Whether the last victim has been left alone. */
  async unharmed(): Promise<boolean> {
    const victim = this.#victim;
    if (victim === undefined) return true;
    const touched = once(victim, 'exit').then(() => false);
    const early = new Promise<boolean>((resolve) => setTimeout(resolve, 100, true));
    return victim.exitCode === null && victim.signalCode === null && (await Promise.race([touched, early]));
  }

  close(): void {
    this.#victim?.kill('SIGKILL');
    for (const server of this.#servers) server.close();
  }

  /** A process that ends by any signal. */
  async #freshVictim(): Promise<number> {
    this.#victim?.kill('SIGKILL');
    const program = "process.on('SIGUSR1', () => process.exit(9)); console.log('ready'); setInterval(() => {}, 1000)";
    const victim = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(victim.stdout, 'data');
    this.#victim = victim;
    return victim.pid as number;
  }

  async #listen(on: (server: Server) => void): Promise<Server> {
    const server = createServer((socket) => socket.on('error', () => {}).end());
    on(server);
    await once(server, 'listening');
    this.#servers.push(server);
    return server;
  }
}
