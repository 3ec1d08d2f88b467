import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import sqlite3 from 'sqlite3';
import { Link } from '../helpers/link.js';
import { freePort } from '../helpers/ports.js';
import { type PostgresServer, startOwnPostgres } from '../helpers/postgres.js';
import { type RedisServer, startRedis } from '../helpers/redis.js';
import { Instance } from './instance.js';

export const adminPassword = 'correct horse battery';

const run = promisify(execFile);

export interface InstallationOptions {
  folder: string;
  /** 1: on SQLite, alone; else on PostgreSQL and Redis. */
  instances: number;
  /** Room for the data folder of each. */
  disk_mb: number;
  environment: Readonly<Record<string, string>>;
  /** Told of a process that ended by itself. */
  died: (sentence: string) => void;
}

/** The ways of one instance: from its clients, to its database and to its bus. */
export interface Links {
  clients: Link;
  database?: Link;
  bus?: Link;
}

/** Instances with links between all that talk with each other. Made inside of a namespace: it mounts disks. */
export class Installation {
  readonly instances: readonly Instance[];
  readonly links: readonly Links[];
  readonly postgres: PostgresServer | undefined;
  readonly redis: RedisServer | undefined;
  readonly #database: string;

  static async start(options: InstallationOptions): Promise<Installation> {
    const servers = options.instances > 1 ? await startServers() : undefined;
    const sites = [];
    for (let n = 1; n <= options.instances; n += 1) sites.push(await siteOf(n, options, servers));
    const database = servers?.database ?? join(sites[0]?.instance.data_dir ?? '', 'platform.db');
    const installation = new Installation(sites, { ...servers, database });
    try {
      for (const { instance } of sites) await instance.start();
      return installation;
    } catch (fault) {
      await installation.close();
      throw fault;
    }
  }

  private constructor(
    sites: readonly Site[],
    { postgres, redis, database }: { postgres?: PostgresServer; redis?: RedisServer; database: string },
  ) {
    this.instances = sites.map(({ instance }) => instance);
    this.links = sites.map(({ links }) => links);
    this.postgres = postgres;
    this.redis = redis;
    this.#database = database;
  }

  /** Where clients reach each instance. */
  get urls(): string[] {
    return this.links.map(({ clients }) => `http://127.0.0.1:${clients.port}`);
  }

  /** Rows of the database, past all links. */
  async rows<Row>(sql: string): Promise<Row[]> {
    return this.postgres ? rowsOfPostgres(this.#database, sql) : rowsOfSqlite(this.#database, sql);
  }

  async close(): Promise<void> {
    for (const instance of this.instances) {
      await instance.kill();
      await run('umount', ['--lazy', instance.data_dir]);
    }
    for (const links of this.links) for (const link of [links.clients, links.database, links.bus]) await link?.close();
    await this.postgres?.dispose();
    await this.redis?.stop();
  }
}

interface Servers {
  postgres: PostgresServer;
  redis: RedisServer;
  database: string;
}

async function startServers(): Promise<Servers> {
  const postgres = await startOwnPostgres();
  return { postgres, database: await postgres.fresh(), redis: await startRedis({ persists: true }) };
}

interface Site {
  instance: Instance;
  links: Links;
}

async function siteOf(n: number, { folder, disk_mb, environment, died }: InstallationOptions, servers?: Servers): Promise<Site> {
  const own = join(folder, `instance-${n}`);
  const data = join(own, 'data');
  await mkdir(data, { recursive: true });
  await run('mount', ['-t', 'tmpfs', '-o', `size=${disk_mb}m`, 'tmpfs', data]);
  const port = await freePort();
  const links = { clients: await Link.to(port), ...(servers ? await linksTo(servers) : {}) };
  const shared = servers ? settingsOf(servers, links) : {};
  const settings = { PLATFORM_PORT: String(port), PLATFORM_ADMIN_PASSWORD: adminPassword, ...shared, ...environment };
  return { links, instance: new Instance({ name: String(n), folder: own, environment: settings, died }) };
}

async function linksTo({ database, redis }: Servers): Promise<Required<Omit<Links, 'clients'>>> {
  return { database: await Link.to(Number(new URL(database).port)), bus: await Link.to(Number(new URL(redis.url).port)) };
}

function settingsOf({ database, redis }: Servers, links: Links): Record<string, string> {
  return {
    PLATFORM_DATABASE_URL: through(links.database, database),
    PLATFORM_BUS_URL: through(links.bus, redis.url),
    PLATFORM_SECRET_KEY: 'a master key for tests, 32 chars',
  };
}

function through(link: Link | undefined, address: string): string {
  const url = new URL(address);
  url.port = String(link?.port);
  return url.href;
}

async function rowsOfPostgres<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

async function rowsOfSqlite<Row>(path: string, sql: string): Promise<Row[]> {
  const file = new sqlite3.Database(path, sqlite3.OPEN_READONLY);
  file.configure('busyTimeout', 10_000);
  try {
    return await new Promise<Row[]>((resolve, reject) => {
      file.all<Row>(sql, (fault, rows) => (fault ? reject(fault) : resolve(rows)));
    });
  } finally {
    file.close();
  }
}
