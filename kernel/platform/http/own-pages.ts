import type { Failure } from '../../contract/failure.js';
import { noOrigin, notOwnPage } from '../../core/invoke/no-cookies.js';
import type { Incoming } from './incoming.js';

/**
 * Recognises requests that the platform's own pages sent, by headers that no page can set (Fetch standard, `Origin`; Fetch Metadata,
 * `Sec-Fetch-Site`). Browsers send cookies without the page's intent, so only these requests may use cookies that grant access. Other
 * origins are refused even if CORS allows them.
 */
export class OwnPages {
  readonly #origin: string | undefined;

  /** @param base_url public address of the platform. Default: the scheme and host of each request. */
  constructor(base_url: string | undefined) {
    this.#origin = base_url === undefined ? undefined : new URL(base_url).origin;
  }

  /** Returns whether the client reached the platform over https. */
  isSecure(req: Incoming): boolean {
    return this.#originOf(req)?.startsWith('https:') ?? false;
  }

  /**
   * Returns the failure of a request that no own page sent; undefined for others. Over https either header is enough. Over http browsers
   * send no `Sec-Fetch-Site` except to this machine, so `Origin` must match. A header that disagrees always refuses.
   */
  refusal(req: Incoming): Failure | undefined {
    const own = this.#originOf(req);
    const site = req.headers['sec-fetch-site'];
    const [origin, ...others] = req.headersDistinct.origin ?? [];
    if (others.length > 0) return notOwnPage('the request has more than one Origin header');
    if (origin !== undefined && origin !== own) return notOwnPage(otherOrigin(origin, own));
    if (site !== undefined && site !== 'same-origin') return notOwnPage('the browser says that another site caused the request');
    const isKnown = origin !== undefined || (site !== undefined && this.isSecure(req));
    return isKnown ? undefined : notOwnPage(noOrigin);
  }

  #originOf({ scheme, headers: { host = '' } }: Incoming): string | undefined {
    if (this.#origin !== undefined) return this.#origin;
    const address = `${scheme}://${host}`;
    return URL.canParse(address) ? new URL(address).origin : undefined;
  }
}

function otherOrigin(origin: string, own: string | undefined): string {
  return `the page's origin is ${origin.slice(0, 200)}, and the platform's is ${own ?? 'unknown'}; an administrator can set it (PLATFORM_BASE_URL)`;
}
