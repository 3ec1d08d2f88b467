import type { Disposable } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import { channels, type Ports } from '../ports.js';

export interface Reader {
  session_id: string;
  member_id: number;
}

/** A reader's place, from which it may be taken away. */
export interface Place {
  /** Aborts, with the failure that the reader is told, when it has been taken out of the session. */
  signal: AbortSignal;
  leave(): void;
}

/** Who reads the streams of which session in this process: whoever is taken out of it, on whatever instance, reads no further. */
export class Readers implements Disposable {
  readonly #ports: Pick<Ports, 'bus' | 'log' | 'track'>;
  readonly #places = new Map<string, Set<AbortController>>();
  #unsubscribe: (() => Promise<void>) | undefined;
  #isDisposed = false;

  constructor(ports: Pick<Ports, 'bus' | 'log' | 'track'>) {
    this.#ports = ports;
  }

  /** Hears of those who are taken out on other instances. */
  async listen(): Promise<this> {
    this.#unsubscribe = await this.#ports.bus.subscribe(channels.left, (reader: Reader) => this.#end(reader));
    return this;
  }

  /** Streams outlive the version that opened them: as long as one is read, it listens on. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    if (this.#places.size === 0) await this.#unsubscribe?.();
  }

  /** From now on the reader is told; whether it was taken out before is its to ask. */
  enter(reader: Reader): Place {
    const key = keyOf(reader);
    const place = new AbortController();
    this.#places.set(key, (this.#places.get(key) ?? new Set()).add(place));
    return { signal: place.signal, leave: () => this.#leave(key, place) };
  }

  /** After the commit that takes the member out. */
  dismiss(reader: Reader): void {
    this.#end(reader);
    const { bus, log, track } = this.#ports;
    const warn = (fault: unknown) => log.warn('Streams of who has left a session may go on elsewhere', { ...reader, err: fault });
    track(bus.publish(channels.left, reader).catch(warn));
  }

  #leave(key: string, place: AbortController): void {
    const places = this.#places.get(key);
    places?.delete(place);
    if (places?.size === 0) this.#places.delete(key);
    if (this.#isDisposed && this.#places.size === 0) void this.#unsubscribe?.();
  }

  #end(reader: Reader): void {
    const places = this.#places.get(keyOf(reader)) ?? [];
    for (const place of [...places]) place.abort(notThere(reader.session_id));
  }
}

/** What whoever doesn't take part in a session is told of it. */
export function notThere(session_id: string): Error {
  return fail('session_not_found', `There is no session ${session_id} that you take part in`);
}

function keyOf({ session_id, member_id }: Reader): string {
  return `${member_id} ${session_id}`;
}
