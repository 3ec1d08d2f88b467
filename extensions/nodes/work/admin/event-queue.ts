import type { StreamEvent } from '../../../../kernel/contract/index.js';

type Output = { stream: 'stdout' | 'stderr'; delta: string };

/** Events of a command for one reader. What the reader hasn't taken yet of one output is one event; all in all it is as much as is kept of the outputs. */
export class EventQueue {
  readonly #waiting: StreamEvent[] = [];
  #last: Output | undefined;
  #wake: (() => void) | undefined;
  #ended = false;
  #fault: unknown;

  output(stream: Output['stream'], delta: string): void {
    if (this.#last?.stream === stream) {
      this.#last.delta += delta;
      return;
    }
    this.#last = { stream, delta };
    this.add({ type: 'output', data: this.#last }, this.#last);
  }

  add(event: StreamEvent, last?: Output): void {
    this.#waiting.push(event);
    this.#last = last;
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
        if (this.#waiting.length === 0) this.#last = undefined;
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
