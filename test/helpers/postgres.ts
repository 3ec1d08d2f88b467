import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findPart } from './parts.js';
import { freePort } from './ports.js';

/** A PostgreSQL server for tests. */
export interface PostgresServer {
  /** The address of the server's own database. */
  readonly url: string;
  /** Makes an empty database; gives its address. */
  fresh(): Promise<string>;
  /** Stops it as a crash would (`immediate`) or in order, and starts it again on the same port. Not on a given server. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends it and removes its files; of a given server, the databases made here. */
  dispose(): Promise<void>;
}

const run = promisify(execFile);

/** The given server (`PLATFORM_TEST_POSTGRES_URL`), else a throw-away one of Debian's or npm's binaries. */
export async function startPostgres(): Promise<PostgresServer> {
  const found = findPart('postgres');
  return found !== undefined && 'url' in found ? new GivenServer(found.url) : startOwnPostgres();
}

/** Where PostgreSQL's programs are; undefined where at most a server was given. */
export function postgresPrograms(): string | undefined {
  const found = findPart('postgres', {});
  return found !== undefined && 'folder' in found ? found.folder : undefined;
}

/** A throw-away server, also where one was given: for who stops it. */
export async function startOwnPostgres(): Promise<PostgresServer> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('There is no PostgreSQL on this machine: skip the test by skipWithout');
  return OwnServer.create(programs);
}

class GivenServer implements PostgresServer {
  readonly url: string;
  readonly #made: string[] = [];

  constructor(url: string) {
    this.url = url;
  }

  async fresh(): Promise<string> {
    const name = `platform_test_${randomUUID().replaceAll('-', '')}`;
    await ask(this.url, `CREATE DATABASE ${name}`);
    this.#made.push(name);
    const url = new URL(this.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  stop(): Promise<void> {
    return Promise.reject(new Error('A server that was given is not stopped by a test'));
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  async dispose(): Promise<void> {
    for (const name of this.#made.splice(0)) await ask(this.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}

interface Account {
  uid: number;
  gid: number;
}

class OwnServer implements PostgresServer {
  readonly #programs: string;
  readonly #folder: string;
  readonly #account: Account | undefined;
  #port = 0;
  #process: ChildProcess | undefined;

  static async create(programs: string): Promise<OwnServer> {
    const folder = await mkdtemp(join(tmpdir(), 'platform-postgres-'));
    const account = await ordinaryAccount();
    if (account) await chown(folder, account.uid, account.gid);
    const server = new OwnServer(programs, folder, account);
    try {
      const options = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
      await run(join(programs, 'initdb'), options, { ...account, cwd: folder });
      await server.start();
      return server;
    } catch (error) {
      await server.dispose();
      throw error;
    }
  }

  constructor(programs: string, folder: string, account: Account | undefined) {
    this.#programs = programs;
    this.#folder = folder;
    this.#account = account;
  }

  get url(): string {
    return this.#url('postgres');
  }

  async fresh(): Promise<string> {
    const name = `t_${randomUUID().replaceAll('-', '')}`;
    await ask(this.url, `CREATE DATABASE ${name}`);
    return this.#url(name);
  }

  async start(): Promise<void> {
    if (this.#port === 0) this.#port = await freePort();
    this.#process = this.#spawn();
    await this.#answering(this.#process);
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGQUIT');
    await once(child, 'exit');
  }

  async dispose(): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #url(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/${database}`;
  }

  /** Dies with this process, where the system can be told so. */
  #spawn(): ChildProcess {
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      max_connections: '200',
      shared_buffers: '16MB',
      // It would go round hundreds of databases that live for seconds.
      autovacuum: 'off',
    };
    const options = ['-D', join(this.#folder, 'data'), '-p', String(this.#port)];
    for (const [name, value] of Object.entries(settings)) options.push('-c', `${name}=${value}`);
    const program = join(this.#programs, 'postgres');
    const account = this.#account;
    if (!account || !existsSync('/usr/bin/setpriv')) return spawn(program, options, { ...account, cwd: this.#folder, stdio: 'ignore' });
    const as = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', '--pdeathsig=QUIT'];
    return spawn('/usr/bin/setpriv', [...as, program, ...options], { cwd: this.#folder, stdio: 'ignore' });
  }

  async #answering(child: ChildProcess): Promise<void> {
    const until = Date.now() + 60_000;
    for (;;) {
      const error = await ask(this.url, 'SELECT 1').catch((thrown: unknown) => thrown);
      if (error === undefined) return;
      if (child.exitCode !== null || Date.now() > until) throw new Error('PostgreSQL did not start', { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** PostgreSQL refuses to run as root: its own account where there is one, else one that every system has. */
async function ordinaryAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const account = accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody');
  return account && { uid: Number(account[2]), gid: Number(account[3]) };
}

async function ask(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end();
  }
}
