import type { Failure, ToolResult } from '../../../kernel/contract/index.js';

/** Limit of one output for the model, in characters. */
const max_length_for_model = 12_000;
/** Length of the end that is preserved when cutting: the start says most, the end shows the outcome. */
const preserved_end = 3_000;
/** Limit of a running tool's live output, in characters. */
const max_shown_length = 65_536;

/** Formats a result for the model. */
export function formatForModel({ output, error }: ToolResult): string {
  const text = cut(output, max_length_for_model);
  if (error === undefined) return text === '' ? '(no output)' : text;
  return `Error: ${cut(error, 2_000)}${text === '' ? '' : `\n\n${text}`}`;
}

/** Cuts a text: keeps both ends and states how much is missing. */
export function cut(text: string, max_length: number): string {
  if (text.length <= max_length) return text;
  const end = Math.min(preserved_end, Math.floor(max_length / 4));
  const missing = text.length - max_length;
  return `${text.slice(0, max_length - end).toWellFormed()}\n[… ${missing} characters omitted …]\n${text.slice(-end).toWellFormed()}`;
}

/** Streams a running tool's output, in order and within a limit; nothing after its end. */
export class LiveOutput {
  readonly #show: (delta: string) => Promise<void>;
  #left = max_shown_length;
  #ended = false;
  #queue: Promise<void> = Promise.resolve();

  constructor(show: (delta: string) => Promise<void>) {
    this.#show = show;
  }

  add(delta: string): void {
    if (this.#ended || this.#left <= 0 || typeof delta !== 'string' || delta === '') return;
    const part = delta.slice(0, this.#left);
    this.#left -= part.length;
    const text = this.#left > 0 ? part : `${part}\n[… more is omitted …]`;
    this.#queue = this.#queue.then(() => this.#show(text)).catch(() => undefined);
  }

  /** Resolves when everything has been forwarded. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#queue;
  }
}

/** Codes of internal failures, whose messages name files and servers and must stay inside. */
const internalCodes = /^(database|bus|blob)_/;

/** Returns a failure's message for a model or a client of another protocol. */
export function publicMessage({ code, message }: Failure): string {
  return internalCodes.test(code) ? 'Internal error; try again in a moment' : message;
}
