import { randomBytes } from 'node:crypto';
import type { Clock } from '../../contract/extension.js';
import type { FollowOptions } from '../../contract/journal.js';
import { Decoder } from './decoder.js';
import { type Encoded, encode } from './encode.js';
import { defaultLimits, fail, type JournalLimits } from './limits.js';
import type { PlatformJournal } from './platform-journal.js';
import { assertTopic, formatCursor, namesOf, type Topics } from './position.js';
import { type Item, Reader } from './reader.js';
import { Topic } from './topic.js';

export interface MemoryJournalOptions {
  clock: Clock;
  limits?: Partial<JournalLimits>;
}

const recent_ms = 1_000;

/** The journal of one process. */
export class MemoryJournal implements PlatformJournal {
  readonly #clock: Clock;
  readonly #limits: JournalLimits;
  readonly #topics = new Map<string, Topic>();
  /** Topics without readers, least recently used first: thousands with readers must not be searched for one without. */
  readonly #unread = new Map<string, Topic>();
  readonly #decoder = new Decoder();
  #bytes = 0;

  constructor(options: MemoryJournalOptions) {
    this.#clock = options.clock;
    this.#limits = { ...defaultLimits, ...options.limits };
  }

  async append(topics: Topics, entries: readonly { type: string; data: object }[]): Promise<string> {
    const names = namesOf(topics);
    const contents = encode(names[0], entries);
    const open = names.map((name) => this.#use(name));
    const ended = open.find((topic) => topic.ended);
    if (ended) throw fail('journal_topic_ended', `Topic '${ended.topic}' has ended: nothing can be appended to it`);
    for (const topic of open) this.#append(topic, contents);
    return formatCursor(names[0], (open[0] as Topic).head);
  }

  async appendExisting(topics: readonly string[], entries: readonly { type: string; data: object }[]): Promise<void> {
    const contents = encode(topics[0] ?? '', entries);
    const now = this.#clock.now();
    for (const name of topics) {
      const topic = this.#topics.get(name);
      if (topic && !topic.ended && !this.#lapsed(topic, now)) this.#append(topic, contents);
    }
  }

  #append(topic: Topic, contents: readonly Encoded[]): void {
    const before = topic.bytes;
    topic.append(contents);
    while (topic.size > this.#limits.entries || topic.bytes > this.#limits.bytes) topic.drop();
    this.#bytes += topic.bytes - before;
    this.#shrink(topic);
  }

  async head(topic: string): Promise<string> {
    return formatCursor(topic, this.#use(topic).head);
  }

  follow(topic: string, options: FollowOptions = {}): AsyncIterable<Item> {
    assertTopic(topic);
    // Looked up when watched: a topic without readers may be evicted before the first read.
    let open: Topic | undefined;
    const feed = {
      topic,
      watch: (wake: () => void) => {
        const watched = this.#use(topic);
        open = watched;
        const unwatch = watched.watch(wake);
        if (this.#topics.get(topic) === watched) this.#unread.delete(topic);
        return () => {
          unwatch();
          this.#release(watched);
        };
      },
      read: (after: Parameters<Topic['read']>[0]) => (open ?? this.#use(topic)).read(after),
    };
    return new Reader(feed, options);
  }

  async end(topic: string): Promise<void> {
    this.#use(topic).end();
  }

  /** Removes expired topics; the transport calls it periodically. */
  sweep(): void {
    const now = this.#clock.now();
    for (const topic of this.#topics.values()) if (this.#lapsed(topic, now)) this.#forget(topic);
  }

  /** Ends all readers. */
  close(): void {
    for (const topic of this.#topics.values()) topic.close();
  }

  /** Returns the topic, and marks it as recently used. */
  #use(name: string): Topic {
    const now = this.#clock.now();
    const known = this.#topics.get(name);
    // Its position is exact to the second only, because moving it costs more than an append.
    if (known && !known.ended && Math.abs(now - known.used_at) < recent_ms) return known;
    assertTopic(name);
    if (known && !this.#lapsed(known, now)) {
      if (this.#unread.delete(name)) this.#unread.set(name, known);
      if (!known.ended) known.used_at = now;
      return known;
    }
    if (known) this.#forget(known);
    const topic = new Topic(name, { epoch: randomBytes(6).toString('hex'), now, decoder: this.#decoder });
    this.#topics.set(name, topic);
    this.#unread.set(name, topic);
    this.#shrink(topic);
    return topic;
  }

  /** Marks a topic as used until now by a reader that leaves. */
  #release(topic: Topic): void {
    if (this.#topics.get(topic.topic) !== topic) return;
    if (!topic.ended) topic.used_at = this.#clock.now();
    if (topic.watched) return;
    this.#unread.delete(topic.topic);
    this.#unread.set(topic.topic, topic);
  }

  #lapsed(topic: Topic, now: number): boolean {
    const kept_ms = topic.ended ? this.#limits.ended_ms : this.#limits.idle_ms;
    return !topic.watched && now - topic.used_at > kept_ms;
  }

  #forget(topic: Topic): void {
    this.#topics.delete(topic.topic);
    this.#unread.delete(topic.topic);
    this.#bytes -= topic.bytes;
  }

  /** Enforces the limits of all topics together: evicts other topics, or else drops entries of the one that grew. */
  #shrink(grown: Topic): void {
    while (this.#topics.size > this.#limits.topics || this.#bytes > this.#limits.total_bytes) {
      const unused = this.#longestUnused(grown);
      if (unused) this.#forget(unused);
      else if (grown.size > 0 && this.#bytes > this.#limits.total_bytes) this.#drop(grown);
      else return;
    }
  }

  #longestUnused(except: Topic): Topic | undefined {
    for (const topic of this.#unread.values()) if (topic !== except) return topic;
    return undefined;
  }

  #drop(topic: Topic): void {
    const before = topic.bytes;
    topic.drop();
    this.#bytes += topic.bytes - before;
  }
}
