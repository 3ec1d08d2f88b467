import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { LRUCache } from 'lru-cache';
import type { Client } from './exchange.js';
import type { Guard, GuardOptions } from './guard.js';

/** Limit of cached clients, one per allow list. */
const MAX_CLIENTS = 100;

export type ClientOptions = Pick<GuardOptions, 'allow'> & Partial<GuardOptions>;

/** Caches HTTP clients behind the guard, one for each additional allow list. */
export class Clients {
  readonly #options: ClientOptions;
  readonly #clients = new LRUCache<string, Promise<Client>>({
    max: MAX_CLIENTS,
    // Closes idle connections now, busy ones when they finish.
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

  /** Returns the guard without an additional allow list. */
  async guard(): Promise<Guard> {
    this.#guard ??= this.#openGuard([]);
    return this.#guard;
  }

  async close(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    for (const client of clients) await (await client).agent.destroy();
  }

  /** Creates a client. Loads undici on first use, because that takes 50 ms. */
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
