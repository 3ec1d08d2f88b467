import type { Usage } from '../../chat/contract.js';
import { ModelFailure } from './failures.js';
import type { Ask, Piece } from './prompt.js';
import type { Chunk } from './stream.js';
import { image_tokens, TokenCount, tokensOf } from './tokens.js';
import { ToolCalls } from './tool-calls.js';
import type { ToolTokens } from './tool-tokens.js';

/** More is a server's mistake. */
const most_tokens = 100_000_000;

/** One answer while it is read. */
export class Reading {
  readonly #ask: Ask;
  readonly #model: string;
  readonly #tool_tokens: ToolTokens;
  readonly #calls = new ToolCalls();
  #usage: Usage | undefined;
  readonly #written = new TokenCount();
  #finished = false;
  #any = false;

  constructor(ask: Ask, { model, tool_tokens }: { model: string; tool_tokens: ToolTokens }) {
    this.#ask = ask;
    this.#model = model;
    this.#tool_tokens = tool_tokens;
  }

  /** What a chunk adds. Fails where it says that the answer has gone wrong. */
  *add(chunk: Chunk): Generator<Piece, void> {
    const choice = chunk.choices?.[0];
    const { content, reasoning_content, reasoning = reasoning_content, tool_calls } = choice?.delta ?? choice?.message ?? {};
    const thought = reasoning ?? reasoning_content;
    if (isWritten(thought)) yield this.#piece('reasoning', thought);
    if (isWritten(content)) yield this.#piece('text', content);
    this.#calls.add(tool_calls);
    // Some servers tell it with each chunk, risen: the last one counts.
    this.#usage = usageOf(chunk) ?? this.#usage;
    this.#finish(choice?.finish_reason);
  }

  /** What comes at the end. Fails where the answer isn't whole. */
  *end(): Generator<Piece, void> {
    if (!this.#finished && !this.#any && !this.#calls.any) throw new ModelFailure('model_error', 'The model sent an empty answer', passing);
    if (!this.#finished) throw new ModelFailure('model_error', 'The answer of the model broke off', passing);
    for (const call of this.#calls.whole()) yield { type: 'tool_call', ...call };
    yield this.#cost();
  }

  /** What an answer that failed has cost, where anything of it had come. */
  *cost(): Generator<Piece, void> {
    if (this.#any || this.#calls.any) yield this.#cost();
  }

  #piece(type: 'text' | 'reasoning', text: string): Piece {
    this.#any = true;
    this.#written.add(text);
    return { type, text };
  }

  #finish(reason: unknown): void {
    if (reason === 'content_filter') throw new ModelFailure('model_error', 'The filter of the model stopped its answer');
    if (reason === 'error') throw new ModelFailure('model_error', 'The model ended its answer with an error', passing);
    this.#finished ||= typeof reason === 'string';
  }

  #cost(): Piece {
    const { usage = this.#estimate() } = { usage: this.#usage };
    return { type: 'usage', usage, model: this.#model, estimated: this.#usage === undefined };
  }

  #estimate(): Usage {
    const { prompts, tools = [] } = this.#ask;
    const asked = prompts.map(({ content, images = [], tool_calls = [] }) => {
      return tokensOf(content) + images.length * image_tokens + (tool_calls.length > 0 ? tokensOf(JSON.stringify(tool_calls)) : 0);
    });
    const input_tokens = asked.reduce((sum, tokens) => sum + tokens, this.#tool_tokens.of(tools));
    return { input_tokens, output_tokens: this.#written.tokens + Math.ceil(this.#calls.length / 4) };
  }
}

const passing = { passing: true };

function isWritten(text: unknown): text is string {
  return typeof text === 'string' && text !== '';
}

/** Undefined where it is missing, impossible, or nothing at all. */
function usageOf({ usage }: Chunk): Usage | undefined {
  const { prompt_tokens, completion_tokens } = usage ?? {};
  if (!isCount(prompt_tokens) || !isCount(completion_tokens) || prompt_tokens + completion_tokens === 0) return undefined;
  return { input_tokens: Math.min(prompt_tokens, most_tokens), output_tokens: Math.min(completion_tokens, most_tokens) };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
