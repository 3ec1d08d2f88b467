import type { FetchAnswer, FetchOptions } from '../../contract/extension.js';
import type { GuardedFetch } from '../../core/ports.js';
import { type ClientOptions, Clients } from './clients.js';
import { exchange } from './exchange.js';
import { readUrl } from './request.js';
import { webFetch } from './web-fetch.js';

/** Creates the guarded fetch. Requires only `allow`; `own` is for servers, the rest for tests. */
export function createFetch(options: ClientOptions): GuardedFetch {
  const clients = new Clients(options);
  const call = async (url: string, request: FetchOptions = {}): Promise<FetchAnswer> => exchange(await clients.get(), url, request);
  return Object.assign(call, {
    web: (allow: readonly string[] = []) => webFetch(clients, allow),
    check: async (url: string) => {
      const { hostname, port, protocol } = readUrl(url);
      await (await clients.guard()).precheck(hostname, Number(port) || (protocol === 'https:' ? 443 : 80));
    },
    close: () => clients.close(),
  });
}
