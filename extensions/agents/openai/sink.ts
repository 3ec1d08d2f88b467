import { fail } from '../../../kernel/contract/index.js';
import type { Sink } from '../loop.js';

/** In characters; longer than the longest message of the platform. */
const longest = 1_000_000;

/** Takes what the AI employee says, hands it on, and tells when it has begun. */
export class DoorSink implements Sink {
  written = '';
  thought = '';
  readonly begun: Promise<void>;
  #begin: () => void = () => undefined;
  readonly #send: (delta: object) => Promise<void>;

  constructor(send: (delta: object) => Promise<void>) {
    this.#send = send;
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  async write(content: string): Promise<void> {
    this.written += content;
    if (this.written.length > longest) throw fail('payload_too_large', `The answer is longer than ${longest} characters`);
    this.#begin();
    await this.#send({ content });
  }

  async reasoning(reasoning_content: string): Promise<void> {
    if (this.thought.length < longest) this.thought += reasoning_content;
    this.#begin();
    await this.#send({ reasoning_content });
  }
}
