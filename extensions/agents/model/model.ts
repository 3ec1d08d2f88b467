import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenAI } from 'openai';
import type { ModelFault } from '../contract.js';
import { hostOf, type ModelSettings, nameOfSetting } from '../settings.js';
import { Adaptation } from './adaptation.js';
import { AnswerReader } from './answer-reader.js';
import { explain, type ModelFailure } from './failures.js';
import type { Feature } from './features.js';
import { type Habits, keyOf, noHabits } from './habits.js';
import { ImageBudget, type ImageUrls } from './image-budget.js';
import { readModelNames } from './model-list.js';
import { PieceForwarder } from './piece-forwarder.js';
import type { ModelAnswerer, ModelRequest, Notice, Piece, Take } from './prompt.js';
import { withNormalisedErrors } from './refused.js';
import { type BuiltRequest, hasImages, requestOf } from './request.js';
import { SilenceWatch } from './silence-watch.js';
import { readChunks } from './stream.js';
import { ToolTokens } from './tokens.js';

/** Yields notices about abilities that this answer had to do without. */
function* noticesOf(ask: ModelRequest, adaptation: Adaptation, settings: ModelSettings): Generator<Piece, void> {
  const { lacks } = adaptation;
  if (lacks.has('tools') && (ask.tools ?? []).length > 0) yield notice('no_tools', adaptation.messageOf('tools'), settings);
  if (lacks.has('images') && hasImages(ask)) yield notice('no_images', adaptation.messageOf('images'), settings);
}

function notice(code: 'no_tools' | 'no_images', said: string, settings: ModelSettings): { type: 'notice' } & Notice {
  const ability = code === 'no_tools' ? 'tools' : 'images';
  const reason = said === '' ? 'its settings say so' : `the server said: ${said.slice(0, 300)}`;
  const set = `If that is wrong, set ${ability} to true in ${nameOfSetting(settings, 'features')}`;
  return {
    type: 'notice',
    code,
    message: `The model '${settings.name}' at ${hostOf(settings)} does not accept ${ability} (${reason}). ${set}`,
  };
}

/** Retry settings of a model. */
export interface RetryOptions {
  /** Retries before the first piece has arrived. */
  retries: number;
  /** Back-off before the first retry; doubled each time. */
  pause_ms: number;
  /** Longest Retry-After that is obeyed; beyond it the answer fails. */
  max_pause_ms: number;
  /** Time for which a model that failed is tried after the others of its chain. */
  rest_ms: number;
}

const retryDefaults: RetryOptions = { retries: 3, pause_ms: 500, max_pause_ms: 20_000, rest_ms: 30_000 };
const defaultWaits = { first_byte_ms: 120_000, idle_ms: 120_000 };

/** Failures that will also affect the next request. */
const lastingFailures: ReadonlySet<string> = new Set<ModelFault>([
  'model_unavailable',
  'model_auth',
  'model_quota',
  'model_rate_limited',
  'timeout',
]);

/** Statuses of servers without a list of models: they accepted the request, and the key with it. */
const withoutModelList = new Set([404, 405, 501]);

export interface ModelOptions {
  settings: ModelSettings;
  patience?: Partial<RetryOptions>;
  /** Retry settings that differ from the defaults. */
  fetch: typeof globalThis.fetch;
  /** Budget of image memory, shared by all models. Default: its own. */
  sight?: ImageBudget;
  /** Stores findings about servers. Default: nothing is stored. */
  habits?: Habits;
  /** Random number from 0 to 1, to spread the retries of many requests. */
  random?: () => number;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Asks an OpenAI-compatible endpoint. */
export class Model implements ModelAnswerer {
  readonly #settings: ModelSettings;
  readonly #patience: RetryOptions;
  readonly #random: () => number;
  readonly #now: () => number;
  readonly #fetch: typeof globalThis.fetch;
  readonly #image_budget: ImageBudget;
  readonly #tool_tokens = new ToolTokens();
  readonly #habits: Habits;
  readonly #origin: string;
  #client: Promise<OpenAI> | undefined;
  #backoff_until = 0;

  constructor(options: ModelOptions) {
    const {
      settings,
      patience: overrides = {},
      random = Math.random,
      now = Date.now,
      fetch,
      sight = new ImageBudget(),
      habits = noHabits,
    } = options;
    this.#settings = settings;
    this.#patience = { ...retryDefaults, ...overrides };
    this.#random = random;
    this.#now = now;
    this.#fetch = fetch;
    this.#image_budget = sight;
    this.#habits = habits;
    this.#origin = keyOf(settings);
  }

  get name(): string {
    return this.#settings.name;
  }

  /** Whether it failed recently, so that other models are tried first. */
  get isBackingOff(): boolean {
    return this.#now() < this.#backoff_until;
  }

  /**
   * Answers a request. Fails with a {@link ModelFailure}, or as `take` does. Retries only before the first piece: after
   * a refusal in an adapted form, after a temporary fault with growing back-off. Never later, because that would repeat
   * text that was already read.
   */
  async answer(ask: ModelRequest, take: Take): Promise<void> {
    const { signal } = ask;
    const forwarder = new PieceForwarder(take);
    const adaptation = new Adaptation({ known: await this.#habits.known(this.#settings), switches: this.#switchesFor(ask) });
    const exchange: Exchange = { ask, giver: forwarder, adaptation, uses: new Set() };
    for (let tries = 0; ; ) {
      try {
        await this.#attempt(exchange);
        return await this.#storeFindings(adaptation);
      } catch (fault) {
        forwarder.throwIfFailed();
        signal.throwIfAborted();
        const failure = explain(fault, this.#settings);
        failure.begun = forwarder.begun;
        if (!forwarder.begun && adaptation.change(failure, exchange.uses)) continue;
        const pause_ms =
          failure.passing && !forwarder.begun && tries < this.#patience.retries ? this.#backoffOf(failure, tries) : undefined;
        if (pause_ms === undefined) throw this.#backOff(failure);
        tries += 1;
        await sleep(pause_ms, undefined, { signal });
      }
    }
  }

  /** Returns why the server can't be used, or undefined. Asks it for its list of models, which costs nothing. */
  async refusal(signal: AbortSignal): Promise<ModelFailure | undefined> {
    try {
      const response = await this.#list(signal);
      await response.body?.cancel();
      return undefined;
    } catch (fault) {
      const failure = explain(signal.aborted ? signal.reason : fault, this.#settings);
      return withoutModelList.has(failure.status ?? 0) ? undefined : failure;
    }
  }

  /** Returns the names of the server's models; empty if it has no list. Fails with a {@link ModelFailure}. */
  async names(signal: AbortSignal): Promise<string[]> {
    try {
      return await readModelNames(await this.#list(signal));
    } catch (fault) {
      const failure = explain(signal.aborted ? signal.reason : fault, this.#settings);
      if (withoutModelList.has(failure.status ?? 0)) return [];
      throw failure;
    }
  }

  async #list(signal: AbortSignal): Promise<Response> {
    this.#client ??= this.#connect();
    return (await this.#client).models.list({ signal, maxRetries: 0 }).asResponse();
  }

  /** Returns the feature switches. A caller that needs its tools gets the server's refusal rather than an answer without them. */
  #switchesFor({ needs_tools }: ModelRequest): ModelSettings['features'] {
    const { features } = this.#settings;
    return needs_tools ? { ...features, tools: true } : features;
  }

  async #storeFindings({ learnt }: Adaptation): Promise<void> {
    if (learnt.size > 0) await this.#habits.learn(this.#settings, learnt);
  }

  #backOff(failure: ModelFailure): ModelFailure {
    if (lastingFailures.has(failure.code)) this.#backoff_until = this.#now() + this.#patience.rest_ms;
    return failure;
  }

  /** Returns the back-off; undefined if the server's Retry-After exceeds the limit. */
  #backoffOf({ retry_after_ms }: ModelFailure, tries: number): number | undefined {
    const { pause_ms, max_pause_ms } = this.#patience;
    if (retry_after_ms !== undefined) return retry_after_ms <= max_pause_ms ? retry_after_ms : undefined;
    return pause_ms * 2 ** tries * (0.5 + this.#random() / 2);
  }

  async #attempt(turn: Exchange): Promise<void> {
    const { ask, giver } = turn;
    const { first_byte_ms, idle_ms } = ask.waits ?? defaultWaits;
    const watch = new SilenceWatch(ask.signal);
    let reading: AnswerReader | undefined;
    try {
      const { response, names, offered } = await this.#open(turn, watch);
      watch.expect(first_byte_ms, 'first_byte');
      const begins_with_reasoning = turn.adaptation.lacks.has('opened_reasoning');
      const options = { model: this.name, by: this.#origin, tool_tokens: this.#tool_tokens, names, begins_with_reasoning };
      const current = new AnswerReader({ ...ask, tools: offered }, options);
      reading = current;
      const end = await readChunks(response, {
        arrived: () => watch.expect(idle_ms, 'idle'),
        take: (chunk) => giver.forward(current.add(chunk)),
      });
      watch.signal.throwIfAborted();
      watch.end();
      await giver.forward(this.#ending(turn, current.end(end)));
      if (current.endsUnopenedReasoning) turn.adaptation.observe('opened_reasoning', 'an answer had </think> without <think>');
    } catch (fault) {
      const reason = watch.signal.aborted ? watch.signal.reason : fault;
      watch.abort();
      if (reading) await giver.forward(reading.cost());
      throw reason;
    }
  }

  *#ending({ ask, adaptation }: Exchange, pieces: Iterable<Piece>): Generator<Piece, void> {
    yield* noticesOf(ask, adaptation, this.#settings);
    yield* pieces;
  }

  /** Sends the request. Images are in memory only while it is sent. */
  async #open(turn: Exchange, watch: SilenceWatch): Promise<{ response: Response } & BuiltRequest> {
    const { ask, adaptation } = turn;
    const withImages = hasImages(ask) && !adaptation.lacks.has('images');
    if (!withImages) return this.#request(turn, { watch });
    return this.#image_budget.withImages({ ...ask, signal: watch.signal }, (urls) => this.#request(turn, { watch, urls }));
  }

  async #request(
    turn: Exchange,
    { watch, urls }: { watch: SilenceWatch; urls?: ImageUrls },
  ): Promise<{ response: Response } & BuiltRequest> {
    this.#client ??= this.#connect();
    const client = await this.#client;
    const { ask, adaptation } = turn;
    const { first_byte_ms } = ask.waits ?? defaultWaits;
    const { max_tokens = 0 } = this.#settings;
    const built = requestOf(ask, { model: this.name, by: this.#origin, urls, lacks: adaptation.lacks, max_tokens });
    turn.uses = built.uses;
    watch.expect(first_byte_ms, 'first_byte');
    const options = { signal: watch.signal, maxRetries: 0, timeout: first_byte_ms + 1_000 };
    return { ...built, response: await client.chat.completions.create(built.body, options).asResponse() };
  }

  /** Creates the client. The library is large, so it is loaded with the first request. */
  async #connect(): Promise<OpenAI> {
    const { OpenAI: Client } = await import('openai');
    const { base_url, api_key } = this.#settings;
    const unnamed = { organization: null, project: null };
    const fetch = withNormalisedErrors(this.#fetch);
    return new Client({ baseURL: base_url, apiKey: api_key || 'none', fetch, maxRetries: 0, logLevel: 'off', ...unnamed });
  }
}

/** One request, through all its adaptations and retries. */
interface Exchange {
  ask: ModelRequest;
  giver: PieceForwarder;
  adaptation: Adaptation;
  /** Parts of the protocol that the latest request used. */
  uses: ReadonlySet<Feature>;
}
