import type { Failure, ToolResult } from '../../../kernel/contract/index.js';

/** Of one output, in characters: what the model gets. */
const max_length_for_model = 12_000;
/** The start of what is cut says most, and its end how it went. */
const kept_end = 3_000;
/** What a running tool may show to readers. */
const max_shown_length = 65_536;

/** What the model is told of a call. */
export function toldOf({ output, error }: ToolResult): string {
  const text = cut(output, max_length_for_model);
  if (error === undefined) return text === '' ? '(no output)' : text;
  return `Error: ${cut(error, 2_000)}${text === '' ? '' : `\n\n${text}`}`;
}

/** The text, or its two ends and how much is missing between them. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = Math.min(kept_end, Math.floor(longest / 4));
  const missing = text.length - longest;
  return `${text.slice(0, longest - end).toWellFormed()}\n[… ${missing} characters are left out here …]\n${text.slice(-end).toWellFormed()}`;
}

/** Shows what a tool writes while it runs, in order and up to a bound; nothing after its end. */
export class ShownOutput {
  readonly #show: (delta: string) => Promise<void>;
  #left = max_shown_length;
  #ended = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(show: (delta: string) => Promise<void>) {
    this.#show = show;
  }

  add(delta: string): void {
    if (this.#ended || this.#left <= 0 || typeof delta !== 'string' || delta === '') return;
    const part = delta.slice(0, this.#left);
    this.#left -= part.length;
    const text = this.#left > 0 ? part : `${part}\n[… more is not shown …]`;
    this.#turn = this.#turn.then(() => this.#show(text)).catch(() => undefined);
  }

  /** Resolves when all of it is handed on. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#turn;
  }
}

/** Failures of what the platform stands on: their sentences name files and servers, which are nobody's business outside. */
const inner = /^(database|bus|blob)_/;

/** What a failure says to a model, or to whoever asks through another protocol. */
export function sentenceOf({ code, message }: Failure): string {
  return inner.test(code) ? 'The platform has a fault just now; try again in a moment' : message;
}
