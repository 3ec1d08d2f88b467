import type { Incoming, Outgoing } from './incoming.js';
import type { Responder } from './responder.js';

const methods = 'GET, POST, PUT, DELETE';
const allowed = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Prefer';
/** What clients of OpenAI's and MCP's protocols send besides. */
const protocols = /^(x-stainless|openai|mcp)-[a-z-]{1,40}$/i;
const exposed = 'X-Request-Id, X-Instance, X-Ignored-Fields, Preference-Applied, Retry-After, ETag';

/**
 * Lets pages of the configured origins call the API (Fetch standard, CORS protocol); without any, none. hapi does this by route: pages
 * could not read what the front refuses (`headers.test`, "which pages may read answers"), and hapi allows headers by name alone, not those
 * of a protocol whose clients add to them (`protocols.test`).
 * Cookies play no part here, so credentials are never allowed; where all origins are, none is named, so that no browser sends any.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #any: boolean;
  readonly #responder: Responder;

  constructor(origins: readonly string[], responder: Responder) {
    this.#responder = responder;
    this.#origins = new Set(origins);
    this.#any = this.#origins.has('*');
  }

  /** Adds the headers for the page that asks; gives true when it was a preflight, which is answered then. */
  handle(req: Incoming, res: Outgoing): boolean {
    if (this.#origins.size === 0) return false;
    res.setHeader('vary', 'origin');
    const { origin } = req.headers;
    if (origin === undefined || !(this.#any || this.#origins.has(origin))) return false;
    res.setHeader('access-control-allow-origin', this.#any ? '*' : origin);
    res.setHeader('access-control-expose-headers', exposed);
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return false;
    res.setHeader('access-control-allow-methods', methods);
    res.setHeader('access-control-allow-headers', [allowed, ...protocolHeaders(req)].join(', '));
    res.setHeader('access-control-max-age', '600');
    this.#responder.nothing(res);
    return true;
  }
}

function protocolHeaders({ headers }: Incoming): string[] {
  const wanted = headers['access-control-request-headers'] ?? '';
  return wanted.split(',', 50).flatMap((name) => (protocols.test(name.trim()) ? [name.trim()] : []));
}
