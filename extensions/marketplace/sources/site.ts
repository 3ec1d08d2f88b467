import { isFailure } from '../../../kernel/contract/index.js';
import { fail } from './codes.js';

export interface SiteOptions {
  /** Name for people, in messages. */
  name: string;
  /** Address of the source. No request leaves its origin. */
  address: URL;
  /** Access token, sent with each request; empty if none is needed. */
  token: string;
  /** Returns the guarded fetch, which may also reach the given `host:port`, even at a private address. */
  web: (allow: readonly string[]) => typeof globalThis.fetch;
}

const max_redirects = 5;

/**
 * HTTP client of a source: the web server that an administrator has configured. It follows redirects within the origin only, so that
 * neither the token nor a request reaches another host.
 */
export class Site {
  readonly #options: SiteOptions;
  readonly #fetch: typeof globalThis.fetch;

  constructor(options: SiteOptions) {
    this.#options = options;
    const { hostname, port, protocol } = options.address;
    this.#fetch = options.web([`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`]);
  }

  get name(): string {
    return this.#options.name;
  }

  /**
   * Sends a `GET` to an address of the origin and returns the answer if its status is 200, 304 or 404; the caller handles these, and must
   * read or cancel the body.
   *
   * @throws `source_unavailable` and `source_invalid` for other statuses and faults; the signal's reason if it aborts
   */
  async get(url: URL, signal: AbortSignal, extraHeaders: Readonly<Record<string, string>> = {}): Promise<Response> {
    const answer = await this.#followRedirects(url, signal, extraHeaders);
    if (answer.status === 200 || answer.status === 304 || answer.status === 404) return answer;
    await answer.body?.cancel();
    throw this.#statusFailure(answer.status);
  }

  /** Converts what a request, or reading its body, has thrown: a time-out and a lost connection become `source_unavailable`. */
  failure(fault: unknown, signal: AbortSignal): unknown {
    if (isFailure(fault)) return fault;
    if (signal.aborted) {
      const isTimeout = (signal.reason as Error | undefined)?.name === 'TimeoutError';
      return isTimeout ? fail('source_unavailable', `${this.name} did not answer in time`) : signal.reason;
    }
    return fail('source_unavailable', `${this.name} can't be reached: ${reasonOf(fault)}`, { cause: fault });
  }

  async #followRedirects(first: URL, signal: AbortSignal, extraHeaders: Readonly<Record<string, string>>): Promise<Response> {
    const { address, token } = this.#options;
    const headers = { 'user-agent': 'platform', ...extraHeaders, ...(token === '' ? {} : { authorization: `Bearer ${token}` }) };
    let url = first;
    for (let redirects = 0; redirects <= max_redirects; redirects += 1) {
      const answer = await this.#send(url, headers, signal);
      const location = answer.headers.get('location');
      if (location === null || ![301, 302, 303, 307, 308].includes(answer.status)) return answer;
      await answer.body?.cancel();
      if (!URL.canParse(location, url.href)) throw fail('source_invalid', `${this.name} redirects to an invalid address`);
      url = new URL(location, url);
      if (url.origin !== address.origin) {
        throw fail(
          'source_invalid',
          `${this.name} redirects to another host, which is not followed; configure the host that has the bundles`,
        );
      }
    }
    throw fail('source_invalid', `${this.name} redirects more than ${max_redirects} times`);
  }

  async #send(url: URL, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    try {
      return await this.#fetch(url.href, { headers, signal, redirect: 'manual' });
    } catch (fault) {
      throw this.failure(fault, signal);
    }
  }

  #statusFailure(status: number): Error {
    if (status === 401 || status === 403) {
      return fail('source_unavailable', `${this.name} rejected the token: check the setting marketplace.upstream_token`);
    }
    const isUnreachable = status === 429 || status >= 500;
    return fail(isUnreachable ? 'source_unavailable' : 'source_invalid', `${this.name} answers with status ${status}`);
  }
}

/** Returns the message of the innermost cause: `fetch` says only that it failed. */
function reasonOf(thrown: unknown): string {
  let fault = thrown;
  for (let depth = 0; fault instanceof Error && fault.cause instanceof Error && depth < 5; depth += 1) fault = fault.cause;
  return fault instanceof Error ? fault.message : String(fault);
}
