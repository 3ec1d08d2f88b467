import type { FetchAnswer, FetchOptions } from '../../contract/extension.js';
import { type ClientOptions, Clients } from './clients.js';
import { exchange } from './exchange.js';
import { readUrl } from './request.js';
import { webFetch } from './web-fetch.js';

/** Every outgoing call of the platform goes through one of these. */
export interface GuardedFetch {
  /**
   * Calls an http or https URL. Private, loopback, link-local and this machine's own addresses are
   * refused unless allowed; a name is resolved once and the connection goes to the address that was
   * checked; each redirect is checked again. Answers of any status are given; failures are
   * `fetch_bad_url`, `fetch_address_refused`, `fetch_failed`, `fetch_timeout` and `fetch_too_large`.
   */
  (url: string, options?: FetchOptions): Promise<FetchAnswer>;
  /**
   * The same guard behind the standard's `fetch`, for client libraries: streams, no limits of its own,
   * `allow` added to what is allowed. What it refuses is the `cause` of the standard's `TypeError`.
   */
  web(allow?: readonly string[]): typeof globalThis.fetch;
  /**
   * Fails as a call would now: with `fetch_bad_url`, and with `fetch_address_refused` if the host is or resolves to an
   * address that may not be reached. A name that can't be resolved within 3 s passes: it may exist later.
   */
  check(url: string): Promise<void>;
  /** Breaks off what runs. */
  close(): Promise<void>;
}

/** Only `allow` is needed; the rest is for tests, and `own` for whoever listens. */
export function createFetch(options: ClientOptions): GuardedFetch {
  const clients = new Clients(options);
  const call = async (url: string, request: FetchOptions = {}): Promise<FetchAnswer> => exchange(await clients.get(), url, request);
  return Object.assign(call, {
    web: (allow: readonly string[] = []) => webFetch(clients, allow),
    check: async (url: string) => {
      const { hostname, port, protocol } = readUrl(url);
      await (await clients.guard()).foresee(hostname, Number(port) || (protocol === 'https:' ? 443 : 80));
    },
    close: () => clients.close(),
  });
}
