import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { filterOf } from '../containers/labels.js';
import { engineTime } from '../engines/time.js';
import { type EngineEvent, eventsOf, sinceOf } from './event.js';
import { event_filter } from './listing.js';

export interface EngineListenerParts {
  docker: Docker;
  platform: string;
  /** Handles an event; the next one waits for it. */
  handle: (event: EngineEvent) => Promise<void>;
  /** Runs when the stream is restored after a loss: the engine may have forgotten events in between. */
  onRestored: () => void;
  /** Back-off between attempts in ms; doubled up to the second. */
  backoffs: readonly [first: number, longest: number];
}

/** Listens to one engine's events while open. A lost stream is resumed where it ended. */
export class EngineListener {
  readonly #parts: EngineListenerParts;
  readonly #closed = new AbortController();
  #stream: AbortController | undefined;
  #last: bigint | undefined;
  #pause_ms: number;

  constructor(parts: EngineListenerParts) {
    this.#parts = parts;
    this.#pause_ms = parts.backoffs[0];
    void this.#listen();
  }

  /** Drops the stream. A listener can't tell a silent engine from an unreachable one, so the prober reports it. */
  drop(): void {
    this.#stream?.abort();
  }

  close(): void {
    this.#closed.abort();
    this.#stream?.abort();
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      // The probes report an unreachable engine.
      await this.#receive().catch(() => undefined);
      if (signal.aborted) return;
      await sleep(this.#pause_ms, undefined, { signal }).catch(() => undefined);
      this.#pause_ms = Math.min(this.#pause_ms * 2, this.#parts.backoffs[1]);
    }
  }

  async #receive(): Promise<void> {
    const { docker, platform, handle: hear, onRestored: again, backoffs: pauses } = this.#parts;
    this.#stream = new AbortController();
    const { signal } = this.#stream;
    const first = this.#last === undefined;
    this.#last ??= BigInt(await engineTime(docker)) * 1_000_000n;
    const since = this.#last;
    const filters = { ...filterOf(platform), ...event_filter };
    // The types only allow whole seconds.
    const options = { filters, since: sinceOf(since), abortSignal: signal } as unknown as Docker.GetEventsOptions;
    const stream = await docker.getEvents(options);
    this.#pause_ms = pauses[0];
    if (!first) again();
    for await (const event of eventsOf(stream as AsyncIterable<Buffer>)) {
      if (signal.aborted) return;
      // The engine repeats the last event. Older events are new as well: its clock was set back.
      if (event.nanos === since) continue;
      await hear(event);
      this.#last = event.nanos;
    }
  }
}
