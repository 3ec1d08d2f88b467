import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config, LoadedSettings } from '../config/load.js';
import type { SocketOptions } from '../kernel/client/socket.js';
import type { Transport } from '../kernel/client/transport.js';
import { failures, isFailure } from '../kernel/contract/failure.js';
import { shellWord } from '../kernel/contract/shell-word.js';
import { Interrupted, UsageError } from './exit.js';
import { Profiles, profilesFile } from './profiles.js';
import type { Terminal } from './terminal.js';

/** Flags that every command has. */
export interface CommonFlags {
  url?: string;
  profile?: string;
  dataDir?: string;
  config?: string;
  debug?: boolean;
}

/** A connection to an installation, open for one command. */
export interface Session {
  transport: Transport;
  /** `direct`: no server is running, and this process holds the data folder. */
  way: 'http' | 'local' | 'direct';
  /** Name of the installation in messages. */
  name: string;
  /** The profile whose token is used. */
  profile?: string | undefined;
  /** Options with which a `SocketClient` connects to it. */
  live: Pick<SocketOptions, 'url' | 'authorization' | 'socket'>;
  /** Makes `close` not wait for work in this process that can't finish, such as one that waits for an approval. */
  abandon(): void;
  /** Closes it. In direct mode, waits first until started work is finished, unless interrupted. */
  close(): Promise<void>;
}

const agent = 'platform-cli';
/** Limits the wait for a server that is starting. */
const starting_ms = 10_000;
const starting_poll_ms = 100;
const fail = failures({ no_installation: 503, server_starting: 503, data_dir_unreadable: 403 });

/**
 * Opens a connection: to an address or a profile, otherwise to a running server on the data folder through its local
 * socket, otherwise in this process. A named data folder takes precedence over a stored login.
 */
export async function openSession(flags: CommonFlags, terminal: Terminal, signal: AbortSignal): Promise<Session> {
  const remote = await remoteOf(flags, terminal);
  if (remote) return overHttp(remote, terminal);
  const settings = await settingsOf(flags, terminal);
  const found = (await throughSocket(settings.config)) ?? (await throughStarting(settings.config, signal));
  if (found) return found;
  return inProcess(settings, flags, { terminal, signal }).catch(async (fault: unknown) => {
    if (!isFailure(fault) || fault.code !== 'data_dir_locked') throw fault;
    // A server may have started in the meantime.
    const late = (await throughSocket(settings.config)) ?? (await throughStarting(settings.config, signal));
    if (late) return late;
    throw fault;
  });
}

/** Connects like `openSession`, but never in this process: undefined if no server is named and none is running. */
export async function findServer(flags: CommonFlags, terminal: Terminal): Promise<Session | undefined> {
  const remote = await remoteOf(flags, terminal);
  return remote ? overHttp(remote, terminal) : throughSocket(await configOf(flags, terminal));
}

/** Reads the settings of this command line and the environment. */
export async function configOf(flags: CommonFlags, terminal: Terminal, overrides: object = {}): Promise<Config> {
  return (await settingsOf(flags, terminal, overrides)).config;
}

/** Reads the settings as `configOf` does, with the source of each. */
export async function settingsOf(flags: CommonFlags, { env }: Terminal, overrides: object = {}): Promise<LoadedSettings> {
  if (flags.config === '-')
    throw new UsageError("Settings can't come from standard input, because they are read more than once", 'name a file');
  const { loadSettings } = await import('../config/load.js');
  return loadSettings({ file: flags.config, env, overrides: { data_dir: flags.dataDir, ...overrides } });
}

/** Returns a server's address without trailing slashes, as logins store it. A malformed address is a usage error. */
export function serverAddress(address: string): string {
  if (!/^https?:\/\/[^/]/i.test(address) || !URL.canParse(address))
    throw new UsageError(`'${address}' is not a server address`, 'as in: --url http://127.0.0.1:8080');
  return address.replace(/\/+$/, '');
}

interface Remote {
  url: string;
  token: string | undefined;
  profile: string | undefined;
}

/** Returns a warning if an environment variable takes precedence over this login, and how to change that. */
export function overridingSetting({ url, name }: { url: string; name: string }, { env }: Terminal): string | undefined {
  const change = `; add --profile ${shellWord(name)}, or unset it`;
  if (env.PLATFORM_TOKEN) return 'PLATFORM_TOKEN is set: commands still use that token; unset it to use this login';
  if (env.PLATFORM_PROFILE && env.PLATFORM_PROFILE !== name)
    return `PLATFORM_PROFILE is set: commands still use the login '${env.PLATFORM_PROFILE}'${change}`;
  if (env.PLATFORM_URL)
    return serverAddress(env.PLATFORM_URL) === url ? undefined : `PLATFORM_URL is set: commands still go to ${env.PLATFORM_URL}${change}`;
  if (!env.PLATFORM_PROFILE && env.PLATFORM_DATA_DIR)
    return `PLATFORM_DATA_DIR is set: commands still go to the folder ${env.PLATFORM_DATA_DIR}${change}`;
  return undefined;
}

/** Resolves the remote server: flags take precedence over the environment, and the environment over the stored login. */
async function remoteOf({ url, profile, dataDir }: CommonFlags, { env }: Terminal): Promise<Remote | undefined> {
  const profiles = new Profiles(profilesFile(env));
  const named = profile ?? (env.PLATFORM_PROFILE || undefined);
  const at = async (address: string | undefined): Promise<Remote | undefined> => {
    const known = named === undefined ? await profiles.find(undefined) : { name: named, profile: await profiles.require(named) };
    const requested = address === undefined ? undefined : serverAddress(address);
    const found = requested === undefined || known?.profile.url === requested ? known : undefined;
    const target = requested ?? found?.profile.url;
    if (target === undefined) return undefined;
    // A token from the environment applies to any server; a profile's token only to its own server.
    return env.PLATFORM_TOKEN
      ? { url: target, token: env.PLATFORM_TOKEN, profile: undefined }
      : { url: target, token: found?.profile.token, profile: found?.name };
  };
  if (url !== undefined || profile !== undefined) return at(url);
  if (dataDir !== undefined) return undefined;
  if (env.PLATFORM_URL || named !== undefined) return at(env.PLATFORM_URL || undefined);
  return env.PLATFORM_DATA_DIR ? undefined : at(undefined);
}

async function overHttp({ url, token, profile }: Remote, { env }: Terminal): Promise<Session> {
  const { assertEnvironment } = await import('../config/load.js');
  assertEnvironment(env);
  const { http } = await import('../kernel/client/http.js');
  const transport = http({ url, token, agent });
  const live = { url, authorization: () => `Bearer ${token ?? ''}` };
  return { transport, way: 'http', name: url, profile, live, abandon: nothing, close: () => transport.close() };
}

/** Fails if the data folder exists but is closed to this user: then nobody can say whether a server or an installation is there. */
async function assertReadable({ data_dir }: Pick<Config, 'data_dir'>): Promise<void> {
  const code = await access(data_dir, constants.R_OK | constants.X_OK).then(
    () => undefined,
    (fault: NodeJS.ErrnoException) => fault.code,
  );
  if (code !== 'EACCES' && code !== 'EPERM') return;
  throw fail('data_dir_unreadable', `The data folder ${data_dir} can't be read by this user: permission denied`, {
    fix: "run the command as the server's user, as in: sudo -u platform platform status; or name the server with: --url <address>",
  });
}

async function throughSocket({ data_dir }: Config): Promise<Session | undefined> {
  await assertReadable({ data_dir });
  const { localKeyFile, localSocket } = await import('../kernel/client/local-address.js');
  if (!existsSync(localKeyFile(data_dir)) || !(await listens(localSocket(data_dir)))) return undefined;
  const { local, localServer } = await import('../kernel/client/local.js');
  const transport = local({ data_dir, agent });
  return { transport, way: 'local', name: data_dir, live: localServer(data_dir), abandon: nothing, close: () => transport.close() };
}

/** Waits for the socket of a starting server; undefined if none is starting, or if it has ended. Fails after a time limit. */
async function throughStarting(config: Config, signal: AbortSignal): Promise<Session | undefined> {
  const { startingServer } = await import('../kernel/client/starting-server.js');
  const until = performance.now() + starting_ms;
  for (;;) {
    const pid = await startingServer(config.data_dir);
    if (pid === undefined) return undefined;
    const session = await throughSocket(config);
    if (session) return session;
    if (performance.now() > until)
      throw fail('server_starting', `The server (process ${pid}) is starting`, { fix: 'try again in a moment' });
    await sleep(starting_poll_ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Returns whether a server listens on a socket: a killed server leaves its file behind. */
async function listens(path: string): Promise<boolean> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Fails if there is no installation: only `serve`, `restore` and `migrate` create one. */
export async function assertInstalled({ data_dir, database_url, secret_key }: Config, { dataDir }: CommonFlags): Promise<void> {
  await assertReadable({ data_dir });
  const { parseAddress } = await import('../kernel/platform/data/address.js');
  const address = parseAddress(database_url, data_dir);
  const place = dataDir === undefined ? '' : ` --data-dir ${shellWord(dataDir)}`;
  const create = `create one with: platform serve${place}`;
  const other = 'or choose another one with: --data-dir <folder> or --url <address>';
  if (address.dialect === 'sqlite' && !existsSync(address.file))
    throw fail('no_installation', `There is no platform in ${data_dir}`, { fix: `${create}; ${other}` });
  if (address.dialect === 'postgres') await assertTables(address.url, create);
  // A new folder may use the database if the key is set: each instance has its own folder.
  if (secret_key === '' && !existsSync(data_dir))
    throw fail('no_installation', `There is no platform in ${data_dir}: it has no secret.key, and PLATFORM_SECRET_KEY is not set`, {
      fix: 'name its folder with: --data-dir <folder>, or set its key with PLATFORM_SECRET_KEY_FILE',
    });
}

async function assertTables(url: string, create: string): Promise<void> {
  const { findInstallation } = await import('../kernel/platform/data/postgres/find-installation.js');
  const found = await findInstallation(url);
  if (found === 'installation') return;
  const { withoutCredentials } = await import('../config/credentials.js');
  const message = `There is no platform in the database ${withoutCredentials(url)}`;
  const check = 'check PLATFORM_DATABASE_URL';
  if (found === 'empty') throw fail('no_installation', message, { fix: `${check}; or ${create}` });
  throw fail('no_installation', `${message}: the server has no such database`, { fix: `${check}, or create the database with: createdb` });
}

interface ProcessContext {
  terminal: Terminal;
  signal: AbortSignal;
}

async function inProcess({ config, sources }: LoadedSettings, flags: CommonFlags, { terminal, signal }: ProcessContext): Promise<Session> {
  await assertInstalled(config, flags);
  const { boot } = await import('../kernel/boot/boot.js');
  const { direct } = await import('../kernel/client/direct.js');
  const log = { write: (line: string) => (flags.debug ? terminal.stderr.write(line) : undefined) };
  const kernel = await boot(config, { listen: false, background: false, sources, log });
  let isWaiting = true;
  const abandon = () => (isWaiting = false);
  const close = async () => {
    if (isWaiting && !(signal.reason instanceof Interrupted)) await Promise.race([kernel.settled(), aborted(signal)]);
    await kernel.close();
  };
  // In-process callers don't authenticate.
  const live = { url: 'http://localhost', authorization: () => '', socket: () => kernel.openSocket() };
  return { transport: direct(kernel), way: 'direct', name: config.data_dir, live, abandon, close };
}

function nothing(): void {}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
