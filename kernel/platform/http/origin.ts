import { isIP } from 'node:net';

/**
 * Which web pages may speak to a door with the rights of whoever looks at them. A page that reaches this machine
 * under a name of its own (DNS rebinding) comes with that name as its origin.
 */
export class Origins {
  readonly #known: ReadonlySet<string>;

  constructor(origins: readonly string[], base_url: string | undefined) {
    this.#known = new Set(base_url ? [...origins, new URL(base_url).origin] : origins);
  }

  /** Programs that are no browsers send no origin. A page's own server counts where its name can't be rebound. */
  allows(origin: string | undefined, host: string | undefined): boolean {
    if (origin === undefined || this.#known.has('*') || this.#known.has(origin)) return true;
    return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase() && isFixed(new URL(origin).hostname);
  }
}

function isFixed(name: string): boolean {
  return name === 'localhost' || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}
