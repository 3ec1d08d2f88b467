import { randomUUID } from 'node:crypto';
import { channels, type Ports } from '../ports.js';
import { keyOf, type Reader } from './reader.js';

type ReadingPorts = Pick<Ports, 'bus' | 'log' | 'track' | 'clock'>;

/** A reader came or left, or, without one, everybody is asked who reads. */
interface Message {
  from: string;
  reader?: Reader;
  reads?: boolean;
}

/** How often the others must hear of a reader, and how long they believe it: an instance that was killed says nothing more. */
export const repeat_ms = 60_000;
const stale_ms = 2.5 * repeat_ms;
const max_readers = 100_000;

/**
 * Members who read a session through another instance, or through a version of this extension that was replaced while they read. Learnt
 * from the bus, so a message that was lost makes a reader unknown for at most {@link repeat_ms}.
 */
export class ReadingElsewhere {
  readonly #ports: ReadingPorts;
  readonly #from = randomUUID();
  /** When each reader was heard of last, oldest first. */
  readonly #heard = new Map<string, number>();
  readonly #here: () => Iterable<Reader>;
  #unsubscribe: (() => Promise<void>) | undefined;

  /** `here` lists the readers in this process, for others who ask. */
  constructor(ports: ReadingPorts, here: () => Iterable<Reader>) {
    this.#ports = ports;
    this.#here = here;
  }

  async listen(): Promise<void> {
    this.#unsubscribe = await this.#ports.bus.subscribe(channels.reading, (message: Message) => this.#hear(message));
    this.#publish({});
  }

  async stop(): Promise<void> {
    await this.#unsubscribe?.();
  }

  has(reader: Reader): boolean {
    return (this.#heard.get(keyOf(reader)) ?? Number.NEGATIVE_INFINITY) > this.#ports.clock.now() - stale_ms;
  }

  /** Publishes that the member begins to read here, or stops. */
  publish(reader: Reader, reads: boolean): void {
    this.#publish({ reader, reads });
  }

  /** Publishes all readers in this process, and forgets those that nobody has repeated. */
  repeat(): void {
    for (const reader of this.#here()) this.publish(reader, true);
    const oldest = this.#ports.clock.now() - stale_ms;
    for (const [key, at] of this.#heard) if (at <= oldest) this.#heard.delete(key);
  }

  #hear({ from, reader, reads }: Message): void {
    if (from === this.#from) return;
    if (!reader) this.repeat();
    else this.#note(keyOf(reader), reads === true);
  }

  #note(key: string, reads: boolean): void {
    this.#heard.delete(key);
    if (reads && this.#heard.size < max_readers) this.#heard.set(key, this.#ports.clock.now());
  }

  #publish(message: Omit<Message, 'from'>): void {
    const { bus, log, track } = this.#ports;
    const warn = (err: unknown) => log.warn('Other instances could not be told who reads a session; they may notify its readers', { err });
    track(bus.publish(channels.reading, { from: this.#from, ...message }).catch(warn));
  }
}
