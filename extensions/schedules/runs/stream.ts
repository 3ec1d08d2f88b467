import type { StreamEvent } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';

/** Limit of a stream's text in characters; its end is kept. */
const max_tail_length = 3_900;

interface StreamOutput {
  delta?: unknown;
  exit_code?: number | null;
  timed_out?: unknown;
}

export function isStream(body: unknown): body is AsyncIterable<StreamEvent> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/**
 * Reads a stream to its end. Returns the end of the text in its events' `delta`s; without any, the event with an
 * `exit_code`, or the last one. Fails as the stream does, and with `command_failed` and that text if an `exit_code` is
 * not 0. When the signal aborts, reading stops and the stream is closed.
 */
export async function readStream(events: AsyncIterable<StreamEvent>, signal: AbortSignal): Promise<unknown> {
  const iterator = events[Symbol.asyncIterator]();
  // A stream waiting for its next event is closed too.
  const close = () => void iterator.return?.().catch(() => undefined);
  signal.addEventListener('abort', close, { once: true });
  const summary = new StreamResult();
  try {
    for (let step = await next(iterator, signal); !step.done; step = await next(iterator, signal)) summary.add(step.value.data);
  } catch (fault) {
    signal.throwIfAborted();
    summary.assertSucceeded();
    throw fault;
  } finally {
    signal.removeEventListener('abort', close);
    if (signal.aborted) close();
  }
  summary.assertSucceeded();
  return summary.result;
}

async function next(iterator: AsyncIterator<StreamEvent>, signal: AbortSignal): Promise<IteratorResult<StreamEvent>> {
  signal.throwIfAborted();
  return iterator.next();
}

/** Output of a stream so far, as far as it is kept. */
class StreamResult {
  readonly #tail = new Tail();
  #last: object | undefined;
  #exit: StreamOutput | undefined;

  add(data: object): void {
    const { delta, exit_code } = data as StreamOutput;
    this.#last = data;
    if (typeof delta === 'string') this.#tail.add(delta);
    if (typeof exit_code === 'number' || exit_code === null) this.#exit = data;
  }

  get result(): unknown {
    const { text } = this.#tail;
    return text === '' ? (this.#exit ?? this.#last) : text;
  }

  /** Fails with `command_failed` if a command failed. */
  assertSucceeded(): void {
    const { exit_code = 0, timed_out } = this.#exit ?? {};
    if (exit_code === 0) return;
    const cause = timed_out === true ? 'did not end in time and was killed' : 'was killed';
    const how = exit_code === null ? cause : `ended with exit code ${exit_code}`;
    const { text } = this.#tail;
    throw fail('command_failed', `The command ${how}${text === '' ? '' : `:\n${text}`}`);
  }
}

/** Collects pieces of text and keeps the end. */
class Tail {
  #text = '';
  #isCut = false;

  add(piece: string): void {
    this.#text += piece;
    if (this.#text.length <= max_tail_length) return;
    this.#text = this.#text.slice(-max_tail_length);
    this.#isCut = true;
  }

  get text(): string {
    return this.#isCut ? `…${this.#text.toWellFormed()}` : this.#text;
  }
}
