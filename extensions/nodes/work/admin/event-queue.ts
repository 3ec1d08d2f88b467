import type { StreamEvent } from '../../../../kernel/contract/index.js';

type Output = { stream: 'stdout' | 'stderr'; delta: string };

/** As many events wait in the order in which they came; what comes then goes to the last one of its output. */
const most_waiting = 1_000;

/**
 * Events of a command for one reader. What the reader hasn't taken yet of one output is one event, as long as nothing of
 * the other one came between; all in all it is as much as is kept of the outputs, in some 1,000 events at most.
 */
export class EventQueue {
  readonly #waiting: StreamEvent[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  #fault: unknown;

  output(stream: Output['stream'], delta: string): void {
    // Two outputs take turns, so that the last of each is among the last two.
    const last = this.#waiting.slice(this.#waiting.length < most_waiting ? -1 : -2).findLast((event) => isOf(event, stream));
    if (last) (last.data as Output).delta += delta;
    else this.add({ type: 'output', data: { stream, delta } satisfies Output });
  }

  add(event: StreamEvent): void {
    this.#waiting.push(event);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The reader gets it after all that came before. */
  fail(fault: unknown): void {
    this.#fault = fault;
    this.end();
  }

  /** For one reader. */
  async *read(): AsyncGenerator<StreamEvent> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        yield next;
      } else if (this.#ended) {
        if (this.#fault !== undefined) throw this.#fault;
        return;
      } else {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        this.#wake = undefined;
      }
    }
  }
}

function isOf({ type, data }: StreamEvent, stream: Output['stream']): boolean {
  return type === 'output' && (data as Output).stream === stream;
}
