import type { Incoming, Outgoing } from './incoming.js';
import type { Responder } from './responder.js';

const methods = 'GET, POST, PUT, DELETE';
const allowed = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Prefer';
/** Further headers that clients of the OpenAI and MCP protocols send. */
const protocols = /^(x-stainless|openai|mcp)-[a-z-]{1,40}$/i;
const exposed = 'X-Request-Id, X-Instance, X-Ignored-Fields, Preference-Applied, Retry-After, ETag';

/**
 * Allows pages of the configured origins to call the API (Fetch standard, CORS protocol). We don't use hapi's CORS because it works by
 * route: pages could not read the front's errors (`headers.test`, "which pages may read answers"), and it allows headers only by exact
 * name, but protocol clients add headers with a common prefix (`protocols.test`).
 * Cookies that grant access are for the platform's own pages, so credentials are never allowed; with `*`, no origin is named, so that
 * browsers send none.
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

  /** Adds the CORS headers; returns true if the request was a preflight, which is answered here. */
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
