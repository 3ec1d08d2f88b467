import { fail } from '../../../kernel/contract/index.js';
import type { Notice } from '../model/prompt.js';
import type { Sink } from '../run/loop.js';

/** Limit in characters; longer than the longest message of the platform. */
const max_length = 1_000_000;

/** Collects and forwards the text of the AI employee, and signals when it begins. */
export class CompletionSink implements Sink {
  written = '';
  reasoningText = '';
  /** Refusal of the model. */
  refusalText = '';
  /** Whether the last answer reached its token limit. */
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
    if (refusal) this.refusalText += content;
    else this.written += content;
    if (this.written.length + this.refusalText.length > max_length)
      throw fail('payload_too_large', `The answer is longer than ${max_length} characters`);
    this.#begin();
    return this.#send(refusal ? { refusal: content } : { content });
  }

  notice({ code }: Notice): void {
    if (code === 'answer_cut') this.isCut = true;
  }

  reasoning(reasoning_content: string): void | Promise<void> {
    this.isCut = false;
    if (this.reasoningText.length < max_length) this.reasoningText += reasoning_content;
    this.#begin();
    return this.#send({ reasoning_content });
  }
}
