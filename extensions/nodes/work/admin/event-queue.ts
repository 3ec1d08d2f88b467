import type { StreamEvent } from '../../../../kernel/contract/index.js';

type Stream = 'stdout' | 'stderr';

/** Buffered output, not an event yet because it may still grow. */
interface Output {
  stream: Stream;
  delta: string;
  /** Bytes, one per character, if the text can't represent them. */
  exact: string | undefined;
}

/** Limit of buffered events in their order; further output is appended to the last event of its stream. */
const max_waiting = 1_000;

/** Limit of buffered characters before the command has to wait for the reader. */
const max_waiting_length = 256 * 1024;

/**
 * Buffers the events of a command for one reader. Unread output of one stream is merged into one event unless the other
 * stream wrote in between. {@link room} resolves when the command may continue writing.
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

  /** Waits until the reader has caught up. For one writer, which awaits it after each piece. */
  async room(): Promise<void> {
    if (this.#length < max_waiting_length || this.#signal.aborted) return;
    await new Promise<void>((resolve) => (this.#hasRoom = resolve));
    this.#hasRoom = undefined;
  }

  /** Adds a piece of output; `exact` holds its bytes as `latin1` if the text can't represent them. */
  output(stream: Stream, delta: string, exact?: string): void {
    // The two streams alternate, so the last event of each is among the last two.
    const last = this.#waiting.slice(this.#waiting.length < max_waiting ? -1 : -2).findLast((one) => isOf(one, stream)) as
      | Output
      | undefined;
    this.#length += delta.length;
    if (last) append(last, delta, exact);
    else this.#push({ stream, delta, exact });
  }

  add(event: StreamEvent): void {
    this.#push(event);
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Fails the reader after all buffered events. */
  fail(fault: unknown): void {
    this.#fault = fault;
    this.end();
  }

  #push(one: StreamEvent | Output): void {
    this.#waiting.push(one);
    this.#wake?.();
  }

  #release({ delta }: Output): void {
    this.#length -= delta.length;
    if (this.#length < max_waiting_length) this.#hasRoom?.();
  }

  /** Yields the events. For one reader. */
  async *read(): AsyncGenerator<StreamEvent> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        if (isOutput(next)) this.#release(next);
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

function append(output: Output, delta: string, exact: string | undefined): void {
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
