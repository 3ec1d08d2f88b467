import type { Test } from 'tap';
import type { StreamEvent } from '../../../../kernel/contract/operation.js';
import type { HttpOptions } from '../../../../kernel/platform/http/http.js';
import { type Deed, startWorld, type World } from './world.js';

/** A source of events that a test feeds by hand, and that tells whether it was let go. */
export class Source {
  readonly #waiting: StreamEvent[] = [];
  readonly #wakes = new Set<() => void>();
  #done = false;
  given = 0;
  returned = 0;

  push(...events: StreamEvent[]): void {
    this.#waiting.push(...events);
    this.#wake();
  }

  end(): void {
    this.#done = true;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#wakes) wake();
    this.#wakes.clear();
  }

  async *read(signal: AbortSignal): AsyncGenerator<StreamEvent> {
    signal.addEventListener('abort', () => this.#wake());
    try {
      while (!signal.aborted) {
        const event = this.#waiting.shift();
        if (event) {
          this.given++;
          yield event;
        } else if (this.#done) return;
        else await new Promise<void>((resolve) => this.#wakes.add(resolve));
      }
    } finally {
      this.returned++;
    }
  }
}

export const following = (path: string, source: Source): Deed => ({
  summary: 'Follows a source',
  method: 'GET',
  path,
  who: 'member',
  kind: 'stream',
  input: (j) => j.object({ after: j.string(), token: j.string() }),
  does: (_input, { signal }) => source.read(signal),
});

export async function streamWorld(t: Test, stream_limits: HttpOptions['stream_limits'] = {}): Promise<World & { source: Source }> {
  const made = await startWorld({ stream_limits });
  const source = new Source();
  t.teardown(() => made.http.close(1_000));
  await made.serve('live', ['/api/live'], { 'live.follow': following('/api/live', source) });
  return { ...made, source };
}

export const delta = (number: number): StreamEvent => ({ id: `s.1.${number}`, type: 'message.delta', data: { seq: number } });
