import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenAI } from 'openai';
import type { Usage } from '../chat/contract.js';
import type { Prompt } from './context.js';
import { explain, isPassing, ModelFailure } from './model-failures.js';
import type { ModelSettings } from './settings.js';

/** How long a model is waited for, and how often it is asked again. */
export interface Patience {
  /** Until the first piece of an answer. */
  first_ms: number;
  /** Between two pieces. */
  gap_ms: number;
  /** For an answer as a whole. */
  total_ms: number;
  /** Further tries, while there has been no piece yet. */
  retries: number;
  /** Before the first of them; doubled each time. */
  pause_ms: number;
  /** The longest that a server's Retry-After is obeyed; beyond it the answer fails. */
  longest_pause_ms: number;
}

const patience: Patience = {
  first_ms: 60_000,
  gap_ms: 60_000,
  total_ms: 900_000,
  retries: 3,
  pause_ms: 500,
  longest_pause_ms: 20_000,
};

export interface ModelOptions {
  settings: ModelSettings;
  patience?: Partial<Patience>;
  /** The guarded way out to the network. */
  fetch: typeof globalThis.fetch;
  /** From 0 to 1: spreads the tries of many. */
  random?: () => number;
}

export type Piece = { type: 'text'; text: string } | { type: 'reasoning'; text: string } | { type: 'usage'; usage: Usage };

type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;
type Delta = { content?: unknown; reasoning_content?: unknown; reasoning?: unknown };

/** An OpenAI-compatible endpoint. */
export class Model {
  readonly #settings: ModelSettings;
  readonly #patience: Patience;
  readonly #random: () => number;
  readonly #fetch: typeof globalThis.fetch;
  #client: Promise<OpenAI> | undefined;

  constructor({ settings, patience: given = {}, random = Math.random, fetch }: ModelOptions) {
    this.#settings = settings;
    this.#patience = { ...patience, ...given };
    this.#random = random;
    this.#fetch = fetch;
  }

  /**
   * The answer, piece by piece. Fails with a code of {@link ModelFault}. Asked again with growing
   * pauses while nothing has come yet; never afterwards, since that would repeat what was read.
   */
  async *answer(prompts: readonly Prompt[], signal: AbortSignal): AsyncGenerator<Piece> {
    const { retries, total_ms } = this.#patience;
    const whole = AbortSignal.any([signal, AbortSignal.timeout(total_ms)]);
    for (let tries = 0; ; tries += 1) {
      let begun = false;
      try {
        for await (const piece of this.#once(prompts, whole)) {
          begun = true;
          yield piece;
        }
        return;
      } catch (fault) {
        signal.throwIfAborted();
        const failure = explain(whole.aborted ? whole.reason : fault, this.#settings);
        const pause_ms = isPassing(failure) && !begun && tries < retries ? this.#pauseOf(failure, tries) : undefined;
        if (pause_ms === undefined) throw failure.toFailure();
        await sleep(pause_ms, undefined, { signal });
      }
    }
  }

  /** Undefined where the server asks for more patience than there is. */
  #pauseOf({ retry_after_ms }: ModelFailure, tries: number): number | undefined {
    const { pause_ms, longest_pause_ms } = this.#patience;
    if (retry_after_ms !== undefined) return retry_after_ms <= longest_pause_ms ? retry_after_ms : undefined;
    return pause_ms * 2 ** tries * (0.5 + this.#random() / 2);
  }

  async *#once(prompts: readonly Prompt[], signal: AbortSignal): AsyncGenerator<Piece> {
    this.#client ??= this.#connect();
    const client = await this.#client;
    const watch = new Watch(signal);
    try {
      watch.expect(this.#patience.first_ms);
      const stream = await this.#open(client, prompts, watch.signal);
      let finished = false;
      for await (const chunk of stream) {
        watch.expect(this.#patience.gap_ms);
        yield* piecesOf(chunk);
        const reason = chunk.choices?.[0]?.finish_reason;
        if (reason === 'content_filter') throw new ModelFailure('model_error', 'The filter of the model stopped its answer');
        finished ||= typeof reason === 'string';
      }
      // An abort ends the client's iteration without a throw.
      watch.signal.throwIfAborted();
      if (!finished) throw new ModelFailure('model_error', 'The answer of the model broke off');
    } catch (fault) {
      throw watch.signal.aborted ? watch.signal.reason : fault;
    } finally {
      watch.end();
    }
  }

  async #open(client: OpenAI, prompts: readonly Prompt[], signal: AbortSignal): Promise<AsyncIterable<Chunk>> {
    const request = { model: this.#settings.name, messages: [...prompts], stream: true as const, stream_options: { include_usage: true } };
    return client.chat.completions.create(request, { signal, maxRetries: 0, timeout: this.#patience.first_ms + 1_000 });
  }

  /** The client is large: it is loaded when the first answer is asked for. */
  async #connect(): Promise<OpenAI> {
    const { OpenAI: Client } = await import('openai');
    const { base_url, api_key } = this.#settings;
    const unnamed = { organization: null, project: null };
    return new Client({ baseURL: base_url, apiKey: api_key || 'none', fetch: this.#fetch, maxRetries: 0, logLevel: 'off', ...unnamed });
  }
}

function* piecesOf(chunk: Chunk): Generator<Piece> {
  const delta = (chunk.choices?.[0]?.delta ?? {}) as Delta;
  const reasoning = delta.reasoning_content ?? delta.reasoning;
  if (typeof reasoning === 'string' && reasoning !== '') yield { type: 'reasoning', text: reasoning };
  if (typeof delta.content === 'string' && delta.content !== '') yield { type: 'text', text: delta.content };
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = chunk.usage ?? {};
  if (Number.isSafeInteger(input_tokens) && Number.isSafeInteger(output_tokens)) {
    yield { type: 'usage', usage: { input_tokens: input_tokens as number, output_tokens: output_tokens as number } };
  }
}

/** Ends a request whose server falls silent, and its socket with it. */
class Watch {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal;
  #timer: NodeJS.Timeout | undefined;

  constructor(outer: AbortSignal) {
    this.signal = AbortSignal.any([outer, this.#controller.signal]);
  }

  /** From now on a piece must come within the limit. */
  expect(limit_ms: number): void {
    clearTimeout(this.#timer);
    const late = () => this.#controller.abort(new ModelFailure('timeout', `The model sent nothing for ${limit_ms / 1000} s`));
    this.#timer = setTimeout(late, limit_ms);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }
}
