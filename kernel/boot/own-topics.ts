import type { Catalog, ExtensionRecord } from '../core/catalog/catalog.js';
import { TokenBucket } from '../core/limits/token-bucket.js';
import type { Pusher } from '../platform/journal/pusher.js';

export interface OwnTopicsOptions {
  pusher: Pusher;
  instance: string;
  clock: { now(): number };
  /** Returns whether a socket of this instance subscribes to a topic. */
  isRead: (topic: string) => boolean;
}

/** Limit of log lines pushed to sockets: they are for people. */
const lines_per_second = 200;

/** Pushes log lines of this instance to the readers of its topic, and extension changes to all its sockets. */
export class OwnTopics {
  readonly #options: OwnTopicsOptions;
  readonly #bucket: TokenBucket;
  #extensions: Catalog['extensions'] = new Map();
  #dropped = 0;

  constructor(options: OwnTopicsOptions) {
    this.#options = options;
    this.#bucket = new TokenBucket(lines_per_second, options.clock.now());
  }

  /** Pushes a log line. Secrets have already been removed from it. */
  logged(line: string): void {
    const { pusher, instance, clock, isRead } = this.#options;
    if (!isRead('log')) return;
    if (!this.#bucket.tryTake(clock.now())) {
      this.#dropped += 1;
      return;
    }
    const dropped = this.#dropped === 0 ? {} : { dropped: this.#dropped };
    this.#dropped = 0;
    pusher.pushHere({ topic: 'log' }, { type: 'log', data: { ...(JSON.parse(line) as object), ...dropped, instance } });
  }

  published({ extensions }: Catalog): void {
    const { pusher, instance } = this.#options;
    const before = this.#extensions;
    this.#extensions = extensions;
    for (const name of new Set([...before.keys(), ...extensions.keys()])) {
      const record = extensions.get(name);
      if (same(before.get(name), record)) continue;
      const { manifest, state = 'removed', error = null } = record ?? {};
      const change = { id: name, state, version: manifest?.version ?? null };
      // Everybody's pages change with the extensions; only administrators may learn why one failed.
      pusher.pushHere('everyone', { type: 'extension.changed', data: change }, { except: 'extensions' });
      pusher.pushHere({ topic: 'extensions' }, { type: 'extension.changed', data: { ...change, name, error, instance } });
    }
  }
}

function same(one: ExtensionRecord | undefined, other: ExtensionRecord | undefined): boolean {
  const [a, b] = [one, other].map((record) => record && [record.state, record.error, record.hash, record.loaded_at].join('\n'));
  return a === b;
}
