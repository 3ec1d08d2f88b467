import type { Fault } from '../kernel/contract/failure.js';
import type { Config } from './schema.js';

/** What is wrong with settings beside each other, each of which is right. */
export function contradictions(config: Config): readonly Fault[] {
  return [...tokenOverheard(config), ...busWithoutServer(config)];
}

/** Of several instances, each would be refused the file that the first one has. */
function busWithoutServer({ bus_url, database_url }: Config): readonly Fault[] {
  if (bus_url === 'memory:' || !database_url.startsWith('sqlite:')) return [];
  const message =
    'bus_url joins several instances, and the database is SQLite, which one instance has alone: expected database_url as ' +
    'postgres://user:password@host/name (PLATFORM_DATABASE_URL), or bus_url as memory: (PLATFORM_BUS_URL)';
  return [{ path: 'bus_url', message }];
}

function tokenOverheard({ marketplace: { upstream_registry, upstream_token } }: Config): readonly Fault[] {
  if (upstream_token === '' || !isOverheard(upstream_registry)) return [];
  const message = `marketplace.upstream_token would be sent unencrypted to ${upstream_registry}: expected an address with https://, or no token`;
  return [{ path: 'marketplace.upstream_token', message }];
}

/** Whether others on the way can read what is sent there. */
function isOverheard(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
