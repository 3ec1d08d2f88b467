import type { StreamEvent } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';

/** Of what a stream has said, its end, in characters. */
const longest_tail = 3_900;

interface Said {
  delta?: unknown;
  exit_code?: unknown;
  timed_out?: unknown;
}

export function isStream(body: unknown): body is AsyncIterable<StreamEvent> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/**
 * Reads a stream to its end. Gives the end of the text in its events' `delta`s; where there is none, what its last
 * event holds. What it throws, and an `exit_code` other than 0 in its last event (`command_failed`), is how it fails.
 * As soon as the signal aborts nothing more is read, and the stream is told.
 */
export async function readStream(events: AsyncIterable<StreamEvent>, signal: AbortSignal): Promise<unknown> {
  const iterator = events[Symbol.asyncIterator]();
  // One that waits for its next event hears of it too.
  const leave = () => void iterator.return?.().catch(() => undefined);
  signal.addEventListener('abort', leave, { once: true });
  const text = new Tail();
  let last: object | undefined;
  try {
    for (let step = await next(iterator, signal); !step.done; step = await next(iterator, signal)) {
      last = step.value.data;
      const { delta } = last as Said;
      if (typeof delta === 'string') text.add(delta);
    }
  } finally {
    signal.removeEventListener('abort', leave);
    if (signal.aborted) leave();
  }
  assertSucceeded(last ?? {}, text.shown);
  return text.shown === '' ? last : text.shown;
}

async function next(iterator: AsyncIterator<StreamEvent>, signal: AbortSignal): Promise<IteratorResult<StreamEvent>> {
  signal.throwIfAborted();
  return iterator.next();
}

function assertSucceeded({ exit_code, timed_out }: Said, text: string): void {
  if (exit_code === 0 || (exit_code !== null && typeof exit_code !== 'number')) return;
  const died = timed_out === true ? 'did not end in time and was killed' : 'was killed';
  const how = exit_code === null ? died : `ended with exit code ${exit_code}`;
  throw fail('command_failed', `The command ${how}${text === '' ? '' : `:\n${text}`}`);
}

/** The end of a text that comes in pieces, however long it is. */
class Tail {
  #text = '';
  #cut = false;

  add(piece: string): void {
    this.#text += piece;
    if (this.#text.length <= longest_tail) return;
    this.#text = this.#text.slice(-longest_tail);
    this.#cut = true;
  }

  get shown(): string {
    return this.#cut ? `…${this.#text.toWellFormed()}` : this.#text;
  }
}
