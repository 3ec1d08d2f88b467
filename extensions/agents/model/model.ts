import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenAI } from 'openai';
import type { ModelFault } from '../contract.js';
import type { ModelSettings } from '../settings.js';
import { explain, isRefusal, type ModelFailure } from './failures.js';
import { Giver } from './giver.js';
import type { Ask, Take, Thinker } from './prompt.js';
import { Reading } from './reading.js';
import { hasImages, requestOf } from './request.js';
import { type ImageUrls, Sight } from './sight.js';
import { readChunks } from './stream.js';
import { ToolTokens } from './tool-tokens.js';
import { Watch } from './watch.js';

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
  /** How long a model that has refused images is not sent any. */
  blind_ms: number;
  /** How long a model that could not answer is asked after the others of its chain. */
  rest_ms: number;
}

const patience: Patience = {
  first_ms: 60_000,
  gap_ms: 60_000,
  total_ms: 900_000,
  retries: 3,
  pause_ms: 500,
  longest_pause_ms: 20_000,
  blind_ms: 600_000,
  rest_ms: 30_000,
};

/** What will be so for the next question too. */
const tiring: ReadonlySet<string> = new Set<ModelFault>([
  'model_unavailable',
  'model_auth',
  'model_quota',
  'model_rate_limited',
  'timeout',
]);

/** Servers that have no list of models have taken the request, and with it the key. */
const unlisted = new Set([404, 405, 501]);

/** What is read of the body of a failure, in bytes. */
const longest_failure = 65_536;

export interface ModelOptions {
  settings: ModelSettings;
  patience?: Partial<Patience>;
  /** The guarded way out to the network. */
  fetch: typeof globalThis.fetch;
  /** Shared by all models. Default: its own. */
  sight?: Sight;
  /** From 0 to 1: spreads the tries of many. */
  random?: () => number;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** An OpenAI-compatible endpoint. */
export class Model implements Thinker {
  readonly #settings: ModelSettings;
  readonly #patience: Patience;
  readonly #random: () => number;
  readonly #now: () => number;
  readonly #fetch: typeof globalThis.fetch;
  readonly #sight: Sight;
  readonly #tool_tokens = new ToolTokens();
  #client: Promise<OpenAI> | undefined;
  /** Until when it is taken for one that sees nothing. */
  #blind_until = 0;
  #resting_until = 0;

  constructor({ settings, patience: given = {}, random = Math.random, now = Date.now, fetch, sight = new Sight() }: ModelOptions) {
    this.#settings = settings;
    this.#patience = { ...patience, ...given };
    this.#random = random;
    this.#now = now;
    this.#fetch = fetch;
    this.#sight = sight;
  }

  get name(): string {
    return this.#settings.name;
  }

  /** Whether it could not answer a little while ago, so that another is rather asked. */
  get isResting(): boolean {
    return this.#now() < this.#resting_until;
  }

  /**
   * Fails with a {@link ModelFailure}, or as `take` does. Asked again with growing pauses while nothing has
   * come yet; never afterwards, since that would repeat what was read.
   */
  async answer(ask: Ask, take: Take): Promise<void> {
    const { signal } = ask;
    const { retries, total_ms } = this.#patience;
    const whole = AbortSignal.any([signal, AbortSignal.timeout(total_ms)]);
    const giver = new Giver(take);
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#once({ ...ask, signal: whole }, giver);
      } catch (fault) {
        giver.throwIfRefused();
        signal.throwIfAborted();
        const failure = explain(whole.aborted ? whole.reason : fault, this.#settings);
        failure.begun = giver.begun;
        const pause_ms = failure.passing && !giver.begun && tries < retries ? this.#pauseOf(failure, tries) : undefined;
        if (pause_ms === undefined) throw this.#rest(failure);
        await sleep(pause_ms, undefined, { signal });
      }
    }
  }

  /** Why its server can't be asked, or undefined: it is asked for its list of models, which costs nothing. */
  async refusal(signal: AbortSignal): Promise<ModelFailure | undefined> {
    try {
      this.#client ??= this.#connect();
      const response = await (await this.#client).models.list({ signal, maxRetries: 0 }).asResponse();
      await response.body?.cancel();
      return undefined;
    } catch (fault) {
      const failure = explain(signal.aborted ? signal.reason : fault, this.#settings);
      return unlisted.has(failure.status ?? 0) ? undefined : failure;
    }
  }

  #rest(failure: ModelFailure): ModelFailure {
    if (tiring.has(failure.code)) this.#resting_until = this.#now() + this.#patience.rest_ms;
    return failure;
  }

  /** Undefined where the server asks for more patience than there is. */
  #pauseOf({ retry_after_ms }: ModelFailure, tries: number): number | undefined {
    const { pause_ms, longest_pause_ms } = this.#patience;
    if (retry_after_ms !== undefined) return retry_after_ms <= longest_pause_ms ? retry_after_ms : undefined;
    return pause_ms * 2 ** tries * (0.5 + this.#random() / 2);
  }

  async #once(ask: Ask, giver: Giver): Promise<void> {
    const watch = new Watch(ask.signal);
    const reading = new Reading(ask, { model: this.name, tool_tokens: this.#tool_tokens });
    try {
      const response = await this.#open({ ...ask, signal: watch.signal }, watch);
      await readChunks(response, (chunk) => {
        watch.expect(this.#patience.gap_ms);
        return giver.give(reading.add(chunk));
      });
      watch.signal.throwIfAborted();
      watch.end();
      await giver.give(reading.end());
    } catch (fault) {
      const reason = watch.signal.aborted ? watch.signal.reason : fault;
      watch.giveUp();
      await giver.give(reading.cost());
      throw reason;
    }
  }

  /** A model that refuses what has images is asked without; if that is better, it gets none for a while. */
  async #open(ask: Ask, watch: Watch): Promise<Response> {
    if (!hasImages(ask) || this.#now() < this.#blind_until) return this.#request(ask, { watch });
    try {
      return await this.#sight.during(ask, (urls) => this.#request(ask, { watch, urls }));
    } catch (fault) {
      if (ask.signal.aborted || !isRefusal(fault)) throw fault;
      const response = await this.#request(ask, { watch });
      this.#blind_until = this.#now() + this.#patience.blind_ms;
      return response;
    }
  }

  async #request(ask: Ask, { watch, urls }: { watch: Watch; urls?: ImageUrls }): Promise<Response> {
    this.#client ??= this.#connect();
    const client = await this.#client;
    watch.expect(this.#patience.first_ms);
    const options = { signal: ask.signal, maxRetries: 0, timeout: this.#patience.first_ms + 1_000 };
    return client.chat.completions.create(requestOf(ask, { model: this.name, urls }), options).asResponse();
  }

  /** The client is large: it is loaded when the first answer is asked for. */
  async #connect(): Promise<OpenAI> {
    const { OpenAI: Client } = await import('openai');
    const { base_url, api_key } = this.#settings;
    const unnamed = { organization: null, project: null };
    const fetch = bounded(this.#fetch);
    return new Client({ baseURL: base_url, apiKey: api_key || 'none', fetch, maxRetries: 0, logLevel: 'off', ...unnamed });
  }
}

/** The client reads the body of a failure whole: this one gives it the start alone. */
function bounded(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (...request) => {
    const response = await fetch(...request);
    const { ok, status, headers } = response;
    return ok ? response : new Response(status === 304 ? null : await startOf(response), { status, headers });
  };
}

async function startOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (reader && text.length < longest_failure) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
  void reader?.cancel().catch(() => undefined);
  return text.slice(0, longest_failure);
}
