import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { LRUCache } from 'lru-cache';
import type { Client } from './exchange.js';
import type { Guard, GuardOptions } from './guard.js';

/** By what they allow. */
const MAX_CLIENTS = 100;

export type ClientOptions = Pick<GuardOptions, 'allow'> & Partial<GuardOptions>;

/** HTTP clients behind the guard, one for each list of what is allowed besides. */
export class Clients {
  readonly #options: ClientOptions;
  readonly #clients = new LRUCache<string, Promise<Client>>({
    max: MAX_CLIENTS,
    // Ends its idle connections now, the busy ones when they are done.
    dispose: (client, _key, reason) => void (reason === 'evict' && client.then(({ agent }) => agent.close())),
  });
  #guard: Promise<Guard> | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get(allow: readonly string[] = []): Promise<Client> {
    const key = JSON.stringify(allow);
    const client = this.#clients.get(key) ?? this.#open(allow);
    this.#clients.set(key, client);
    return client;
  }

  /** What decides for the clients that allow nothing besides. */
  async guard(): Promise<Guard> {
    this.#guard ??= this.#openGuard([]);
    return this.#guard;
  }

  async close(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    for (const client of clients) await (await client).agent.destroy();
  }

  /** undici costs 50 ms to load: only who calls out pays. */
  async #open(allow: readonly string[]): Promise<Client> {
    const [{ fetch, Response }, { createAgent }, guard] = await Promise.all([
      import('undici'),
      import('./agent.js'),
      allow.length === 0 ? this.guard() : this.#openGuard(allow),
    ]);
    return { fetch, Response, agent: createAgent(guard) };
  }

  async #openGuard(allow: readonly string[]): Promise<Guard> {
    const { Guard } = await import('./guard.js');
    return new Guard({
      own: () => [],
      lookup: (name) => lookup(name, { all: true }),
      interfaces: machineAddresses,
      ...this.#options,
      allow: [...this.#options.allow, ...allow],
    });
  }
}

function machineAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}
