import { fail } from '../../../kernel/contract/index.js';
import type { Notice } from '../model/prompt.js';
import type { Sink } from '../run/loop.js';

/** In characters; longer than the longest message of the platform. */
const longest = 1_000_000;

/** Takes what the AI employee says, hands it on, and tells when it has begun. */
export class DoorSink implements Sink {
  written = '';
  thought = '';
  /** The model's words instead of an answer. */
  refused = '';
  /** Whether the last answer reached its limit of tokens. */
  isCut = false;
  readonly begun: Promise<void>;
  #begin: () => void = () => undefined;
  readonly #send: (delta: object) => void | Promise<void>;

  constructor(send: (delta: object) => void | Promise<void>) {
    this.#send = send;
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  write(content: string, { refusal } = { refusal: false }): void | Promise<void> {
    this.isCut = false;
    if (refusal) this.refused += content;
    else this.written += content;
    if (this.written.length + this.refused.length > longest)
      throw fail('payload_too_large', `The answer is longer than ${longest} characters`);
    this.#begin();
    return this.#send(refusal ? { refusal: content } : { content });
  }

  notice({ code }: Notice): void {
    if (code === 'answer_cut') this.isCut = true;
  }

  reasoning(reasoning_content: string): void | Promise<void> {
    this.isCut = false;
    if (this.thought.length < longest) this.thought += reasoning_content;
    this.#begin();
    return this.#send({ reasoning_content });
  }
}
