import { randomUUID } from 'node:crypto';
import { channels, type Ports } from '../ports.js';
import { keyOf, type Reader } from './reader.js';

type ReadingPorts = Pick<Ports, 'bus' | 'log' | 'track' | 'clock'>;

/** Announces that a reader came or left. Without a reader, it asks all instances who reads. */
interface Message {
  from: string;
  reader?: Reader;
  reads?: boolean;
}

/** Interval at which an instance repeats its readers. Without a repetition they are stale: the instance may have been killed. */
export const repeat_ms = 60_000;
const stale_ms = 2.5 * repeat_ms;
const max_readers = 100_000;

/**
 * Tracks members who read a session through another instance, or through a version of this extension that was replaced while they read.
 * A reader whose message on the bus was lost is unknown for at most {@link repeat_ms}.
 */
export class ReadingElsewhere {
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
