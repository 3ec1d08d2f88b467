import { isIP } from 'node:net';
import { type Fault, fail, type Secrets } from '../../../kernel/contract/index.js';
import { secretsOf } from '../record.js';
import type { EngineSecrets, StoredNode } from '../store/stored.js';
import { hostKeyFault } from './host-key.js';
import { tlsFault } from './tls.js';

/** Everything needed to reach an engine. */
export interface EngineAddress {
  /** `tcp://`, `http(s)://`, `unix://` or `ssh://user@host[:port][/path/of/the.sock]`; empty means the local engine. */
  host: string;
  /** Key that an engine's host must present over SSH: a line of a `known_hosts` file without its host, or a fingerprint. */
  host_key: string;
  secrets: EngineSecrets;
}

/** Parsed address. */
export type Target =
  | { kind: 'unix'; path: string }
  | { kind: 'tcp'; host: string; port: number; secure: boolean }
  | { kind: 'ssh'; user: string; host: string; port: number; path: string };

/** Default socket of an engine on its own host. */
export const default_socket = '/var/run/docker.sock';

const address_forms = 'tcp://host[:port], http(s)://host[:port], unix:///path or ssh://user@host[:port][/path of the socket]';
const max_host_length = 512;
/** Maximum length of a socket's path in bytes, a limit of the system. */
const max_path_length = 107;
const ports = { plain: 2375, secure: 2376, ssh: 22 } as const;

/** Returns the address of a node's engine. */
export function addressOf(node: Pick<StoredNode, 'host' | 'config' | 'sealed'>, secrets: Pick<Secrets, 'open'>): EngineAddress {
  return { host: node.host, host_key: node.config.host_key, secrets: secretsOf(node, secrets) };
}

/**
 * Parses and validates an address other than the empty host.
 *
 * @throws `invalid_input` with each error under `host`, `config.tls` or `config.ssh`
 */
export function targetOf(address: EngineAddress): Target {
  const found = read(address.host, address.secrets.tls !== undefined);
  const faults = typeof found === 'string' ? [{ path: 'host', message: found }] : materialFaults(found, address);
  if (typeof found === 'string' || faults.length > 0)
    throw fail('invalid_input', faults.map(({ message }) => message).join('; '), { details: faults });
  return found;
}

/** Returns the target, or the error as a sentence. */
function read(host: string, has_tls: boolean): Target | string {
  if (host.length > max_host_length) return `"host" may have ${max_host_length} characters but has ${host.length}`;
  if (host.startsWith('unix://')) return unixTarget(host.slice('unix://'.length));
  const scheme = /^(tcp|https?|ssh):\/\//.exec(host)?.[1];
  if (scheme === undefined || !URL.canParse(host)) return `"host" must be one of ${address_forms}`;
  const url = new URL(host);
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!isHost(name)) return `"host" must name a host, as in ${address_forms}`;
  if (url.search !== '' || url.hash !== '') return '"host" must not have a query or a fragment';
  if (scheme === 'ssh') return sshTarget(url, name);
  // Avoid the URL's own port, which omits the scheme's default.
  const port = Number(/:(\d+)\/?$/.exec(host)?.[1] ?? 0);
  return tcpTarget(url, { name, port, scheme, has_tls });
}

function unixTarget(path: string): Target | string {
  return isSocketPath(path) ? { kind: 'unix', path } : '"host" must have an absolute path after unix://, of at most 107 bytes';
}

interface HostParts {
  name: string;
  /** 0 means the default port. */
  port: number;
  scheme: string;
  has_tls: boolean;
}

function tcpTarget(url: URL, { name, port, scheme, has_tls }: HostParts): Target | string {
  if (url.username !== '' || url.password !== '') return '"host" must not have credentials: certificates go into config.tls';
  if (url.pathname !== '' && url.pathname !== '/') return `"host" must not have a path after ${scheme}://host[:port]`;
  if (scheme === 'http' && has_tls) return '"host" must start with tcp:// or https:// if config.tls is set';
  const secure = scheme === 'https' || has_tls;
  return { kind: 'tcp', host: name, port: port || (secure ? ports.secure : ports.plain), secure };
}

function sshTarget(url: URL, name: string): Target | string {
  if (url.password !== '') return '"host" must not have a password: it goes into config.ssh';
  if (!/^[a-z_][a-z0-9_.-]{0,63}$/i.test(url.username)) return '"host" must name the user to log in as: ssh://user@host';
  const path = url.pathname === '' || url.pathname === '/' ? default_socket : decoded(url.pathname);
  if (!isSocketPath(path)) return '"host" must end in the absolute path of the engine\'s socket, of at most 107 bytes';
  return { kind: 'ssh', user: url.username, host: name, port: Number(url.port) || ports.ssh, path };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}

function isSocketPath(path: string): boolean {
  return /^\/[^\p{Cc}]+$/u.test(path) && Buffer.byteLength(path) <= max_path_length;
}

function isHost(name: string): boolean {
  return isIP(name) !== 0 || /^[a-z0-9_]([a-z0-9_.-]{0,252})$/i.test(name);
}

function materialFaults(target: Target, { host_key, secrets: { tls, ssh } }: EngineAddress): Fault[] {
  const faults: Fault[] = [];
  const add = (path: string, message: string | undefined) => {
    if (message !== undefined) faults.push({ path, message: `"${path}" ${message}` });
  };
  if (tls) add('config.tls', target.kind === 'tcp' ? tlsFault(tls) : `goes with tcp:// and https://, not with ${target.kind}://`);
  if (target.kind !== 'ssh') {
    if (ssh || host_key !== '') add('config.ssh', `goes with ssh://, not with ${target.kind}://`);
    return faults;
  }
  add('config.ssh.host_key', hostKeyFault(host_key));
  if (!ssh?.private_key && !ssh?.password) add('config.ssh', 'must have a private_key or a password');
  return faults;
}
