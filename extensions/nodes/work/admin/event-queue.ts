import type { StreamEvent } from '../../../../kernel/contract/index.js';

type Stream = 'stdout' | 'stderr';

/** Waiting output. Not an event yet, since it may still grow. */
interface Output {
  stream: Stream;
  delta: string;
  /** Its bytes, one per character, if the text does not say them. */
  exact: string | undefined;
}

/** As many events wait in the order in which they came; what comes then goes to the last one of its output. */
const most_waiting = 1_000;

/**
 * Events of a command for one reader. What the reader hasn't taken yet of one output is one event, as long as nothing of
 * the other one came between; all in all it is as much as is kept of the outputs, in some 1,000 events at most.
 */
export class EventQueue {
  readonly #waiting: (StreamEvent | Output)[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  #fault: unknown;

  /** Adds a piece of an output, and its bytes as `latin1` if the text does not say them. */
  output(stream: Stream, delta: string, exact?: string): void {
    // Two outputs take turns, so that the last of each is among the last two.
    const last = this.#waiting.slice(this.#waiting.length < most_waiting ? -1 : -2).findLast((one) => isOf(one, stream)) as
      | Output
      | undefined;
    if (last) grow(last, delta, exact);
    else this.#push({ stream, delta, exact });
  }

  add(event: StreamEvent): void {
    this.#push(event);
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

  #push(one: StreamEvent | Output): void {
    this.#waiting.push(one);
    this.#wake?.();
  }

  /** For one reader. */
  async *read(): AsyncGenerator<StreamEvent> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        yield isOutput(next) ? eventOf(next) : next;
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

function isOutput(one: StreamEvent | Output): one is Output {
  return 'stream' in one;
}

function isOf(one: StreamEvent | Output, stream: Stream): boolean {
  return isOutput(one) && one.stream === stream;
}

function grow(output: Output, delta: string, exact: string | undefined): void {
  if (output.exact !== undefined || exact !== undefined) output.exact = latin(output) + latin({ delta, exact });
  output.delta += delta;
}

function latin({ delta, exact }: Pick<Output, 'delta' | 'exact'>): string {
  return exact ?? Buffer.from(delta).toString('latin1');
}

function eventOf({ stream, delta, exact }: Output): StreamEvent {
  const bytes = exact === undefined ? {} : { base64: Buffer.from(exact, 'latin1').toString('base64') };
  return { type: 'output', data: { stream, delta, ...bytes } };
}
