import { randomUUID } from 'node:crypto';
import type { Disposable } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import { channels, type Ports } from '../ports.js';

/** A member who reads a session. */
export interface Reader {
  session_id: string;
  member_id: number;
}

function keyOf({ session_id, member_id }: Reader): string {
  return `${member_id} ${session_id}`;
}

type ReadingPorts = Pick<Ports, 'bus' | 'log' | 'track' | 'clock'>;

/** Announces that a reader came or left. Without a reader, it asks all instances who reads. */
interface Message {
  from: string;
  reader?: Reader;
  reads?: boolean;
}

/** Interval at which an instance repeats its readers. Without a repetition they are stale: the instance may have been killed. */
const repeat_ms = 60_000;
const stale_ms = 2.5 * repeat_ms;
const max_readers = 100_000;

/**
 * Tracks members who read a session through another instance, or through a version of this extension that was replaced while they read.
 * A reader whose message on the bus was lost is unknown for at most {@link repeat_ms}.
 */
class ReadingElsewhere {
  readonly #ports: ReadingPorts;
  readonly #from = randomUUID();
  /** Time of the last message about each reader, oldest first. */
  readonly #last_seen = new Map<string, number>();
  readonly #here: () => Iterable<Reader>;
  #unsubscribe: (() => Promise<void>) | undefined;

  /** `here` lists the readers in this process, for others who ask. */
  constructor(ports: ReadingPorts, here: () => Iterable<Reader>) {
    this.#ports = ports;
    this.#here = here;
  }

  async listen(): Promise<void> {
    this.#unsubscribe = await this.#ports.bus.subscribe(channels.reading, (message: Message) => this.#receive(message));
    this.#publish({});
  }

  async stop(): Promise<void> {
    await this.#unsubscribe?.();
  }

  has(reader: Reader): boolean {
    return (this.#last_seen.get(keyOf(reader)) ?? Number.NEGATIVE_INFINITY) > this.#ports.clock.now() - stale_ms;
  }

  /** Publishes that the member begins to read here, or stops. */
  publish(reader: Reader, reads: boolean): void {
    this.#publish({ reader, reads });
  }

  /** Publishes all readers in this process, and forgets those that nobody has repeated. */
  repeat(): void {
    for (const reader of this.#here()) this.publish(reader, true);
    const oldest = this.#ports.clock.now() - stale_ms;
    for (const [key, at] of this.#last_seen) if (at <= oldest) this.#last_seen.delete(key);
  }

  #receive({ from, reader, reads }: Message): void {
    if (from === this.#from) return;
    if (!reader) this.repeat();
    else this.#note(keyOf(reader), reads === true);
  }

  #note(key: string, reads: boolean): void {
    this.#last_seen.delete(key);
    if (reads && this.#last_seen.size < max_readers) this.#last_seen.set(key, this.#ports.clock.now());
  }

  #publish(message: Omit<Message, 'from'>): void {
    const { bus, log, track } = this.#ports;
    const warn = (err: unknown) =>
      log.warn('Could not announce readers to other instances; they may notify members who have read a message', { err });
    track(bus.publish(channels.reading, { from: this.#from, ...message }).catch(warn));
  }
}

/** A registered reader, which may be removed from the session. */
export interface Place {
  /** Aborts when the reader is removed from the session; the reason is the failure for the reader. */
  signal: AbortSignal;
  leave(): void;
}

type ReadersPorts = Pick<Ports, 'bus' | 'clock' | 'log' | 'sessions' | 'track'>;

interface Places {
  readonly reader: Reader;
  readonly open: Set<AbortController>;
  /** Registrations that the member itself reads. */
  readonly watched: Set<AbortController>;
}

/** Sessions per query. */
const portion = 500;

/** Tracks the readers of session streams. A member removed from a session, on any instance, is disconnected from its streams. */
export class Readers implements Disposable {
  readonly #ports: ReadersPorts;
  readonly #places = new Map<string, Places>();
  readonly #elsewhere: ReadingElsewhere;
  #unsubscribe: (() => Promise<void>) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isDisposed = false;

  constructor(ports: ReadersPorts) {
    this.#ports = ports;
    this.#elsewhere = new ReadingElsewhere(ports, () => this.#watching());
  }

  /** Listens to other instances, and checks every minute for removed readers, because a message may be lost. */
  async listen(): Promise<this> {
    this.#unsubscribe = await this.#ports.bus.subscribe(channels.left, (reader: Reader) => this.#end(reader));
    await this.#elsewhere.listen();
    const repeat = () => {
      this.#elsewhere.repeat();
      void this.recheck();
    };
    this.#timer = setInterval(repeat, repeat_ms).unref();
    return this;
  }

  /** Keeps listening while a stream is open, because streams outlive the version that opened them. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    if (this.#places.size === 0) await this.#stop();
  }

  /** Disconnects readers who are no longer members. */
  recheck(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((err: unknown) => this.#ports.log.warn('Could not recheck the members who read sessions', { err }))
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  /** Returns whether the member reads a stream of the session now, on any instance. */
  isReading(reader: Reader): boolean {
    return (this.#places.get(keyOf(reader))?.watched.size ?? 0) > 0 || this.#elsewhere.has(reader);
  }

  /** Registers a reader, who must check afterwards that it is still a member. `reads`: the member itself reads, not the platform. */
  enter(reader: Reader, { reads }: { reads: boolean }): Place {
    const key = keyOf(reader);
    const place = new AbortController();
    const places = this.#places.get(key) ?? { reader, open: new Set(), watched: new Set() };
    places.open.add(place);
    if (reads && places.watched.size === 0) this.#elsewhere.publish(reader, true);
    if (reads) places.watched.add(place);
    this.#places.set(key, places);
    return { signal: place.signal, leave: () => this.#leave(key, place) };
  }

  /** Disconnects a removed member on all instances. Call it after the commit. */
  dismiss(reader: Reader): void {
    this.#end(reader);
    const { bus, log, track } = this.#ports;
    const warn = (fault: unknown) =>
      log.warn('Could not announce a removed member; its streams on other instances may continue', { ...reader, err: fault });
    track(bus.publish(channels.left, reader).catch(warn));
  }

  #leave(key: string, place: AbortController): void {
    const places = this.#places.get(key);
    places?.open.delete(place);
    if (places?.watched.delete(place) && places.watched.size === 0) this.#elsewhere.publish(places.reader, false);
    if (places?.open.size === 0) this.#places.delete(key);
    if (this.#isDisposed && this.#places.size === 0) void this.#stop();
  }

  async #look(): Promise<void> {
    const readers = [...this.#places.values()].map(({ reader }) => reader);
    const sessions = [...new Set(readers.map(({ session_id }) => session_id))];
    const present = new Set<string>();
    for (let start = 0; start < sessions.length; start += portion) {
      const found = await this.#ports.sessions.participantsOf(sessions.slice(start, start + portion));
      for (const reader of found) present.add(keyOf(reader));
    }
    for (const reader of readers) if (!present.has(keyOf(reader))) this.#end(reader);
  }

  *#watching(): Iterable<Reader> {
    for (const { reader, watched } of this.#places.values()) if (watched.size > 0) yield reader;
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#elsewhere.stop();
    await this.#unsubscribe?.();
  }

  #end(reader: Reader): void {
    const places = this.#places.get(keyOf(reader))?.open ?? [];
    for (const place of [...places]) place.abort(notThere(reader.session_id));
  }
}

/** Returns the failure for callers who are not members of a session. */
export function notThere(session_id: string): Error {
  return fail('session_not_found', `There is no session ${session_id} that you take part in`);
}
