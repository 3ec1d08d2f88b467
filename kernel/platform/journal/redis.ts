import { randomBytes } from 'node:crypto';
import type { FollowOptions } from '../../contract/journal.js';
import type { Subscriptions } from '../bus/subscriptions.js';
import { Decoder } from './decoder.js';
import { encode } from './encode.js';
import { Gaps } from './gaps.js';
import { defaultLimits, fail, type JournalLimits } from './limits.js';
import type { PlatformJournal } from './platform-journal.js';
import { assertTopic, formatCursor, namesOf, type Position, type Topics } from './position.js';
import { type Item, Reader } from './reader.js';
import { Following, RedisTopic } from './redis-topic.js';
import type { Server } from './server.js';

export interface RedisJournalOptions {
  server: Server;
  subscriptions: Subscriptions;
  limits?: Partial<JournalLimits>;
}

/** Limits of one read, and so of the page that a reader holds. */
const PAGE_ENTRIES = 64;
const PAGE_BYTES = 256 * 1024;
/** Topics that one script appends to: Redis serves nobody else meanwhile. */
const CHUNK = 500;

/** The journal of all instances on one Redis: a stream for each topic, read by position; publish/subscribe wakes readers. */
export class RedisJournal implements PlatformJournal {
  readonly #server: Server;
  readonly #subscriptions: Subscriptions;
  readonly #limits: JournalLimits;
  /** Topics that are followed here. */
  readonly #topics = new Map<string, RedisTopic>();
  readonly #gaps = new Gaps((topic) => this.#position(topic, 'gap', [this.#limits.idle_ms, channelOf(topic)]));
  /** Topics that lack entries only if they exist. */
  readonly #existingGaps: Gaps = new Gaps((topic) => this.#addToExisting([topic], [], new Set([topic])));
  readonly #decoder = new Decoder();
  #appending = 0;
  #closed = false;

  constructor({ server, subscriptions, limits }: RedisJournalOptions) {
    this.#server = server;
    this.#subscriptions = subscriptions;
    this.#limits = { ...defaultLimits, ...limits };
  }

  async append(topics: Topics, entries: readonly { type: string; data: object }[]): Promise<string> {
    const names = namesOf(topics);
    for (const name of names) assertTopic(name);
    const fields = encode(names[0], entries).flatMap(({ type, json }) => [type, json]);
    const [cursor] = await Promise.all(names.map((name) => this.#append(name, fields)));
    return cursor as string;
  }

  async #append(topic: string, fields: readonly string[]): Promise<string> {
    const { idle_ms, entries: max, bytes } = this.#limits;
    const isTorn = this.#isTorn(topic);
    const args = [idle_ms, max, bytes, channelOf(topic), isTorn ? 1 : 0, ...fields];
    this.#appending += 1;
    try {
      const position = await this.#position(topic, 'append', args).catch((fault: unknown) => {
        this.#gaps.add(topic);
        throw fault;
      });
      if (isTorn) this.#mended(topic);
      if (position.n < 0) throw fail('journal_topic_ended', `Topic '${topic}' has ended: nothing can be appended to it`);
      return formatCursor(topic, position);
    } finally {
      this.#appending -= 1;
    }
  }

  async appendExisting(topics: readonly string[], entries: readonly { type: string; data: object }[]): Promise<void> {
    for (const topic of topics) assertTopic(topic);
    const fields = encode(topics[0] ?? '', entries).flatMap(({ type, json }) => [type, json]);
    const chunks = Array.from({ length: Math.ceil(topics.length / CHUNK) }, (_, n) => topics.slice(n * CHUNK, (n + 1) * CHUNK));
    await Promise.all(chunks.map((chunk) => this.#appendExisting(chunk, fields)));
  }

  async #appendExisting(topics: readonly string[], fields: readonly string[]): Promise<void> {
    const torn = new Set(topics.filter((topic) => this.#isTorn(topic)));
    this.#appending += 1;
    try {
      await this.#addToExisting(topics, fields, torn);
      for (const topic of torn) this.#mended(topic);
    } catch (fault) {
      for (const topic of topics) this.#existingGaps.add(topic);
      throw fault;
    } finally {
      this.#appending -= 1;
    }
  }

  /** @param torn - those of the topics that get a gap first */
  #addToExisting(topics: readonly string[], fields: readonly string[], torn: ReadonlySet<string>): Promise<unknown> {
    const { idle_ms, entries, bytes } = this.#limits;
    const each = topics.flatMap((topic) => [channelOf(topic), torn.has(topic) ? 1 : 0]);
    const args = [newEpoch(), idle_ms, entries, bytes, fields.length, ...fields, ...each];
    return this.#server.script('append_existing', topics.flatMap(keysOf), args);
  }

  /** Whether an earlier append may have failed. */
  #isTorn(topic: string): boolean {
    return this.#gaps.has(topic) || this.#existingGaps.has(topic);
  }

  #mended(topic: string): void {
    this.#gaps.delete(topic);
    this.#existingGaps.delete(topic);
  }

  /** Whether all appends of this process have succeeded or left a gap. */
  get owesNothing(): boolean {
    return this.#appending === 0 && this.#gaps.isEmpty && this.#existingGaps.isEmpty;
  }

  async head(topic: string): Promise<string> {
    assertTopic(topic);
    return formatCursor(topic, await this.#position(topic, 'head', [this.#limits.idle_ms]));
  }

  follow(topic: string, options: FollowOptions = {}): AsyncIterable<Item> {
    assertTopic(topic);
    return new Reader(new Following(topic, () => this.#open(topic)), options);
  }

  async end(topic: string): Promise<void> {
    assertTopic(topic);
    await this.#position(topic, 'end', [this.#limits.ended_ms, channelOf(topic)]);
  }

  /** Wakes all readers after a reconnect, because they may have missed notifications. */
  wake(): void {
    for (const topic of this.#topics.values()) topic.wake();
  }

  /** Renews the expiry of followed topics; the transport calls it periodically. */
  async touch(): Promise<void> {
    const keys = [...this.#topics.keys()].flatMap(keysOf);
    await Promise.all(keys.map((key) => this.#server.connection.send((redis) => redis.pexpire(key, this.#limits.idle_ms))));
  }

  /** Ends all readers. */
  close(): void {
    this.#closed = true;
    this.#gaps.close();
    this.#existingGaps.close();
    for (const topic of this.#topics.values()) topic.close();
  }

  #open(topic: string): RedisTopic {
    const known = this.#topics.get(topic);
    if (known) return known;
    const opened: RedisTopic = new RedisTopic({
      topic,
      subscribe: (heard) => this.#subscriptions.add(channelOf(topic), heard),
      fetch: (after) => this.#read(topic, after),
      decode: (json) => this.#decoder.decode(json),
      onUnwatched: () => {
        if (this.#topics.get(topic) === opened) this.#topics.delete(topic);
      },
    });
    if (this.#closed) opened.close();
    this.#topics.set(topic, opened);
    return opened;
  }

  #read(topic: string, after: Position | undefined): Promise<unknown> {
    // '-' is an epoch that no topic has, for an unreadable cursor; '' means the first entry.
    const epoch = after ? after.epoch || '-' : '';
    const args = [newEpoch(), this.#limits.idle_ms, epoch, after?.n ?? 0, PAGE_ENTRIES, PAGE_BYTES];
    return this.#server.script('read', keysOf(topic), args);
  }

  async #position(topic: string, script: 'append' | 'head' | 'end' | 'gap', args: readonly (string | number)[]): Promise<Position> {
    const [epoch, n] = (await this.#server.script(script, keysOf(topic), [newEpoch(), ...args])) as [string, number];
    return { epoch, n };
  }
}

function newEpoch(): string {
  return randomBytes(6).toString('hex');
}

/** Returns the keys of a topic; the hash tag in braces keeps both on one cluster node. */
function keysOf(topic: string): [string, string] {
  return [`platform:journal:{${topic}}`, `platform:journal:{${topic}}:entries`];
}

function channelOf(topic: string): string {
  return `platform:journal:${topic}`;
}
