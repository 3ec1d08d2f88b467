import { fail } from '../../../kernel/contract/index.js';
import type { Sink } from '../run/loop.js';

/** In characters; longer than the longest message of the platform. */
const longest = 1_000_000;

/** Takes what the AI employee says, hands it on, and tells when it has begun. */
export class DoorSink implements Sink {
  written = '';
  thought = '';
  readonly begun: Promise<void>;
  #begin: () => void = () => undefined;
  readonly #send: (delta: object) => void | Promise<void>;

  constructor(send: (delta: object) => void | Promise<void>) {
    this.#send = send;
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  write(content: string): void | Promise<void> {
    this.written += content;
    if (this.written.length > longest) throw fail('payload_too_large', `The answer is longer than ${longest} characters`);
    this.#begin();
    return this.#send({ content });
  }

  reasoning(reasoning_content: string): void | Promise<void> {
    if (this.thought.length < longest) this.thought += reasoning_content;
    this.#begin();
    return this.#send({ reasoning_content });
  }
}
