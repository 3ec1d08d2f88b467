import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { filterOf } from '../containers/labels.js';
import { type EngineEvent, eventsOf, sinceOf } from './event.js';
import { heard } from './listing.js';

export interface EarParts {
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
export class Ear {
  readonly #parts: EarParts;
  readonly #closed = new AbortController();
  #stream: AbortController | undefined;
  #last: bigint | undefined;
  #pause_ms: number;

  constructor(parts: EarParts) {
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
    this.#last ??= await engineTime(docker);
    const filters = { ...filterOf(platform), ...heard };
    // The types know whole seconds only.
    const options = { filters, since: sinceOf(this.#last), abortSignal: signal } as unknown as Docker.GetEventsOptions;
    const stream = await docker.getEvents(options);
    this.#pause_ms = pauses[0];
    if (!first) again();
    for await (const event of eventsOf(stream as AsyncIterable<Buffer>)) {
      if (signal.aborted) return;
      // The engine begins with what was heard last.
      if (event.nanos <= this.#last) continue;
      await hear(event);
      this.#last = event.nanos;
    }
  }
}

/** Clocks needn't agree: from when on an engine is listened to is said in its own time. */
async function engineTime(docker: Docker): Promise<bigint> {
  const { SystemTime } = (await docker.info()) as { SystemTime?: string };
  const ms = Date.parse(SystemTime ?? '');
  return BigInt(Number.isNaN(ms) ? Date.now() : ms) * 1_000_000n;
}
