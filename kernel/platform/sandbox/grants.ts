import type { Log } from '../../contract/extension.js';
import { type Failure, fail } from '../../contract/failure.js';
import type { Permissions } from '../../contract/manifest.js';

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Returns whether a granted host covers an address. `example.org` matches only that name, `*.example.org` any subdomain but not
 * itself; without a port only the scheme's default matches, `:*` matches any. Ignores case and a trailing dot.
 */
export function reachable(granted: string, { protocol, hostname, port }: URL): boolean {
  const { host, port: wanted } = split(granted.trim().toLowerCase());
  const defaultPort = defaultPorts[protocol];
  if (defaultPort === undefined || (wanted !== '*' && (port || defaultPort) !== (wanted ?? defaultPort))) return false;
  const name = hostname.replace(/\.$/, '');
  return host.startsWith('*.') ? name.endsWith(host.slice(1)) && name.length > host.length - 1 : name === host;
}

/** Splits `host:port`; an IPv6 address is in brackets, as in a URL. */
function split(text: string): { host: string; port: string | undefined } {
  const { host = text, port } = /^(?<host>\[[^\]]+\]|[^:]+)(?::(?<port>\d{1,5}|\*))?$/.exec(text)?.groups ?? {};
  return { host, port };
}

export interface GrantsOptions {
  /** The plugin's id. */
  plugin: string;
  permissions: Permissions;
  /** The plugin's own log, which gets a line for each refusal. */
  log: Pick<Log, 'warn'>;
}

/** Prefix of the platform's settings, some of which are secrets. */
const reserved_env = 'PLATFORM_';

/** Checks the permissions of one plugin. Everything else fails with `permission_denied`, which names the missing permission. */
export class Grants {
  readonly #plugin: string;
  readonly #permissions: Permissions;
  readonly #log: Pick<Log, 'warn'>;

  constructor({ plugin, permissions, log }: GrantsOptions) {
    this.#plugin = plugin;
    this.#permissions = permissions;
    this.#log = log;
  }

  /** @param own whether the plugin itself exposes the operation. */
  call(operation: string, own: boolean): void {
    if (own || this.#permissions.operations?.includes(operation)) return;
    throw this.#denied('operations', operation, 'calls the operation');
  }

  listen(topic: string): void {
    if (this.#isOwn(topic) || this.#permissions.events?.includes(topic)) return;
    throw this.#denied('events', topic, 'listens to');
  }

  /** Fails for topics of others; no permission allows them, because listeners trust the owner of a topic. */
  emit(topic: string): void {
    if (this.#isOwn(topic) && topic.length <= 128) return;
    const message = `Plugin '${this.#plugin}' emits '${truncated(topic)}', but a plugin's topics begin with '${this.#plugin}.'`;
    throw this.#refused('events', message);
  }

  reach(url: URL): void {
    if (this.#permissions.network?.some((granted) => reachable(granted, url))) return;
    throw this.#denied('network', url.host, 'connects to');
  }

  store(): void {
    if (this.#permissions.storage === true) return;
    throw this.#denied('storage', undefined, 'uses its storage');
  }

  read(variable: string): void {
    if (!variable.toUpperCase().startsWith(reserved_env) && this.#permissions.env?.includes(variable)) return;
    throw this.#denied('env', variable, 'reads the environment variable');
  }

  expose({ id, who }: { id: string; who: string }): void {
    if (who !== 'public' || this.#permissions.public_routes === true) return;
    throw this.#denied('public_routes', id, 'opens to everybody');
  }

  #isOwn(topic: string): boolean {
    return topic.startsWith(`${this.#plugin}.`);
  }

  #denied(permission: keyof Permissions, what: string | undefined, does: string): Failure {
    const object = what === undefined ? '' : ` '${truncated(what)}'`;
    const request = isSwitch(permission) ? `set permissions.${permission} to true` : `list it under permissions.${permission}`;
    const without = `Plugin '${this.#plugin}' ${does}${object} without the permission '${permission}' for it`;
    return this.#refused(permission, `${without}: its manifest.json must ${request}`);
  }

  #refused(permission: keyof Permissions, message: string): Failure {
    this.#log.warn(message, { permission });
    return fail('permission_denied', message);
  }
}

function isSwitch(permission: keyof Permissions): boolean {
  return permission === 'storage' || permission === 'public_routes';
}

/** Truncates a text from a plugin for a message. */
function truncated(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
