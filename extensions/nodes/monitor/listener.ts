import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { filterOf } from '../containers/labels.js';
import { engineTime } from '../engines/time.js';
import { type EngineEvent, eventsOf, sinceOf } from './event.js';
import { heard } from './listing.js';

export interface EngineListenerParts {
  docker: Docker;
  platform: string;
  /** The next event waits for it. */
  hear: (event: EngineEvent) => Promise<void>;
  /** The stream stands again after it was lost: what happened since may have been forgotten by the engine. */
  again: () => void;
  /** Between tries, in ms; it doubles up to the second. */
  pauses: readonly [first: number, longest: number];
}

/** Listens to one engine's events, as long as it is open. A stream that was lost is taken up where it ended. */
export class EngineListener {
  readonly #parts: EngineListenerParts;
  readonly #closed = new AbortController();
  #stream: AbortController | undefined;
  #last: bigint | undefined;
  #pause_ms: number;

  constructor(parts: EngineListenerParts) {
    this.#parts = parts;
    this.#pause_ms = parts.pauses[0];
    void this.#listen();
  }

  /** Whoever hears nothing can't tell a quiet engine from one that is away: whoever can, says so. */
  lost(): void {
    this.#stream?.abort();
  }

  close(): void {
    this.#closed.abort();
    this.#stream?.abort();
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      // An engine that is away is no news: the probes say so.
      await this.#hear().catch(() => undefined);
      if (signal.aborted) return;
      await sleep(this.#pause_ms, undefined, { signal }).catch(() => undefined);
      this.#pause_ms = Math.min(this.#pause_ms * 2, this.#parts.pauses[1]);
    }
  }

  async #hear(): Promise<void> {
    const { docker, platform, hear, again, pauses } = this.#parts;
    this.#stream = new AbortController();
    const { signal } = this.#stream;
    const first = this.#last === undefined;
    this.#last ??= BigInt(await engineTime(docker)) * 1_000_000n;
    const since = this.#last;
    const filters = { ...filterOf(platform), ...heard };
    // The types know whole seconds only.
    const options = { filters, since: sinceOf(since), abortSignal: signal } as unknown as Docker.GetEventsOptions;
    const stream = await docker.getEvents(options);
    this.#pause_ms = pauses[0];
    if (!first) again();
    for await (const event of eventsOf(stream as AsyncIterable<Buffer>)) {
      if (signal.aborted) return;
      // The engine begins with what was heard last. What is older than that is new too: its clock was set back.
      if (event.nanos === since) continue;
      await hear(event);
      this.#last = event.nanos;
    }
  }
}
