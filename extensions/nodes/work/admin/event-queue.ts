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
const max_waiting = 1_000;

/** Characters of output that may wait for the reader before the command has to. */
const max_waiting_length = 256 * 1024;

/**
 * Events of a command for one reader. What the reader hasn't taken yet of one output is one event, as long as nothing of
 * the other one came between. {@link room} says when the command may go on writing.
 */
export class EventQueue {
  readonly #waiting: (StreamEvent | Output)[] = [];
  readonly #signal: AbortSignal;
  #length = 0;
  #wake: (() => void) | undefined;
  #hasRoom: (() => void) | undefined;
  #ended = false;
  #fault: unknown;

  /** @param signal - aborts when nobody reads any more: then there is always room */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#hasRoom?.(), { once: true });
  }

  /** Waits until the reader has taken enough. For one writer, which waits after each piece. */
  async room(): Promise<void> {
    if (this.#length < max_waiting_length || this.#signal.aborted) return;
    await new Promise<void>((resolve) => (this.#hasRoom = resolve));
    this.#hasRoom = undefined;
  }

  /** Adds a piece of an output, and its bytes as `latin1` if the text does not say them. */
  output(stream: Stream, delta: string, exact?: string): void {
    // Two outputs take turns, so that the last of each is among the last two.
    const last = this.#waiting.slice(this.#waiting.length < max_waiting ? -1 : -2).findLast((one) => isOf(one, stream)) as
      | Output
      | undefined;
    this.#length += delta.length;
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

  #taken({ delta }: Output): void {
    this.#length -= delta.length;
    if (this.#length < max_waiting_length) this.#hasRoom?.();
  }

  /** For one reader. */
  async *read(): AsyncGenerator<StreamEvent> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        if (isOutput(next)) this.#taken(next);
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
