import type { ExportedMessage } from './types.js';

/** Messages that wait for earlier ones. */
const max_waiting = 50_000;

/** Brings the messages of threads, each of which comes as one piece, into the order of all messages. */
export class TimeOrder {
  #waiting: ExportedMessage[] = [];
  #isSorted = true;

  add(messages: readonly ExportedMessage[]): void {
    for (const message of messages) this.#waiting.push(message);
    if (messages.length > 0) this.#isSorted = false;
  }

  /** Takes the messages before a time out, earliest first; undefined: all. */
  *until(time_ms?: number): Generator<ExportedMessage> {
    if (!this.#isSorted) this.#waiting.sort((one, other) => one.created_ms - other.created_ms);
    this.#isSorted = true;
    const later = time_ms === undefined ? -1 : this.#waiting.findIndex(({ created_ms }) => created_ms >= time_ms);
    const ready = later === -1 ? this.#waiting.length : later;
    const count = Math.max(ready, this.#waiting.length - max_waiting);
    yield* this.#waiting.splice(0, count);
  }
}
