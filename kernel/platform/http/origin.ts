import { isIP } from 'node:net';

/**
 * Decides which web pages may use a door with the rights of their visitor. A page that reaches this machine
 * under its own name (DNS rebinding) sends that name as its origin.
 */
export class Origins {
  readonly #known: ReadonlySet<string>;

  constructor(origins: readonly string[], base_url: string | undefined) {
    this.#known = new Set(base_url ? [...origins, new URL(base_url).origin] : origins);
  }

  /** Returns whether an origin is allowed. Programs other than browsers send none. The server's own origin counts only if its name can't be rebound. */
  allows(origin: string | undefined, host: string | undefined): boolean {
    if (origin === undefined || this.#known.has('*') || this.#known.has(origin)) return true;
    return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase() && isFixed(new URL(origin).hostname);
  }
}

function isFixed(name: string): boolean {
  return name === 'localhost' || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}
