import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenAI } from 'openai';
import type { ModelFault } from '../contract.js';
import { hostOf, type ModelSettings, nameOfSetting } from '../settings.js';
import { Adaptation } from './adaptation.js';
import { explain, type ModelFailure } from './failures.js';
import type { Feature } from './features.js';
import { Giver } from './giver.js';
import { type Habits, keyOf, noHabits } from './habits.js';
import type { Ask, Notice, Piece, Take, Thinker } from './prompt.js';
import { Reading } from './reading.js';
import { bounded } from './refused.js';
import { type BuiltRequest, hasImages, requestOf } from './request.js';
import { type ImageUrls, Sight } from './sight.js';
import { readChunks } from './stream.js';
import { ToolTokens } from './tokens.js';
import { Watch } from './watch.js';

/** Tells of abilities that this answer had to do without. */
function* noticesOf(ask: Ask, adaptation: Adaptation, settings: ModelSettings): Generator<Piece, void> {
  const { lacks } = adaptation;
  if (lacks.has('tools') && (ask.tools ?? []).length > 0) yield notice('no_tools', adaptation.saidOf('tools'), settings);
  if (lacks.has('images') && hasImages(ask)) yield notice('no_images', adaptation.saidOf('images'), settings);
}

function notice(code: 'no_tools' | 'no_images', said: string, settings: ModelSettings): { type: 'notice' } & Notice {
  const ability = code === 'no_tools' ? 'tools' : 'images';
  const reason = said === '' ? 'its settings say so' : `it said: ${said.slice(0, 300)}`;
  const set = `If that is wrong, set ${ability} to true in ${nameOfSetting(settings, 'features')}`;
  return { type: 'notice', code, message: `The model '${settings.name}' at ${hostOf(settings)} takes no ${ability} (${reason}). ${set}` };
}

/** How often a model is asked again, and how long it rests. */
export interface Patience {
  /** Further tries, while there has been no piece yet. */
  retries: number;
  /** Before the first of them; doubled each time. */
  pause_ms: number;
  /** The longest that a server's Retry-After is obeyed; beyond it the answer fails. */
  max_pause_ms: number;
  /** How long a model that could not answer is asked after the others of its chain. */
  rest_ms: number;
}

const patience: Patience = { retries: 3, pause_ms: 500, max_pause_ms: 20_000, rest_ms: 30_000 };
const usualWaits = { first_byte_ms: 120_000, idle_ms: 120_000 };

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

export interface ModelOptions {
  settings: ModelSettings;
  patience?: Partial<Patience>;
  /** The guarded way out to the network. */
  fetch: typeof globalThis.fetch;
  /** Shared by all models. Default: its own. */
  sight?: Sight;
  /** Stores findings about servers. Default: nothing is stored. */
  habits?: Habits;
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
  readonly #habits: Habits;
  readonly #by: string;
  #client: Promise<OpenAI> | undefined;
  #resting_until = 0;

  constructor(options: ModelOptions) {
    const { settings, patience: given = {}, random = Math.random, now = Date.now, fetch, sight = new Sight(), habits = noHabits } = options;
    this.#settings = settings;
    this.#patience = { ...patience, ...given };
    this.#random = random;
    this.#now = now;
    this.#fetch = fetch;
    this.#sight = sight;
    this.#habits = habits;
    this.#by = keyOf(settings);
  }

  get name(): string {
    return this.#settings.name;
  }

  /** Whether it could not answer a little while ago, so that another is rather asked. */
  get isResting(): boolean {
    return this.#now() < this.#resting_until;
  }

  /**
   * Fails with a {@link ModelFailure}, or as `take` does. Asked again while nothing has come yet: in another way after a refusal, and
   * with growing pauses after what passes; never afterwards, since that would repeat what was read.
   */
  async answer(ask: Ask, take: Take): Promise<void> {
    const { signal } = ask;
    const giver = new Giver(take);
    const adaptation = new Adaptation({ known: await this.#habits.known(this.#settings), switches: this.#switchesFor(ask) });
    const turn: Turn = { ask, giver, adaptation, uses: new Set() };
    for (let tries = 0; ; ) {
      try {
        await this.#once(turn);
        return await this.#remember(adaptation);
      } catch (fault) {
        giver.throwIfRefused();
        signal.throwIfAborted();
        const failure = explain(fault, this.#settings);
        failure.begun = giver.begun;
        if (!giver.begun && adaptation.change(failure, turn.uses)) continue;
        const pause_ms = failure.passing && !giver.begun && tries < this.#patience.retries ? this.#pauseOf(failure, tries) : undefined;
        if (pause_ms === undefined) throw this.#rest(failure);
        tries += 1;
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

  /** A caller that needs its tools gets the server's refusal rather than an answer without them. */
  #switchesFor({ needs_tools }: Ask): ModelSettings['features'] {
    const { features } = this.#settings;
    return needs_tools ? { ...features, tools: true } : features;
  }

  async #remember({ learnt }: Adaptation): Promise<void> {
    if (learnt.size > 0) await this.#habits.learn(this.#settings, learnt);
  }

  #rest(failure: ModelFailure): ModelFailure {
    if (tiring.has(failure.code)) this.#resting_until = this.#now() + this.#patience.rest_ms;
    return failure;
  }

  /** Undefined where the server asks for more patience than there is. */
  #pauseOf({ retry_after_ms }: ModelFailure, tries: number): number | undefined {
    const { pause_ms, max_pause_ms } = this.#patience;
    if (retry_after_ms !== undefined) return retry_after_ms <= max_pause_ms ? retry_after_ms : undefined;
    return pause_ms * 2 ** tries * (0.5 + this.#random() / 2);
  }

  async #once(turn: Turn): Promise<void> {
    const { ask, giver } = turn;
    const { first_byte_ms, idle_ms } = ask.waits ?? usualWaits;
    const watch = new Watch(ask.signal);
    let reading: Reading | undefined;
    try {
      const { response, names, offered } = await this.#open(turn, watch);
      watch.expect(first_byte_ms, 'first_byte');
      const begins_with_reasoning = turn.adaptation.lacks.has('opened_reasoning');
      const options = { model: this.name, by: this.#by, tool_tokens: this.#tool_tokens, names, begins_with_reasoning };
      const current = new Reading({ ...ask, tools: offered }, options);
      reading = current;
      const end = await readChunks(response, {
        arrived: () => watch.expect(idle_ms, 'idle'),
        take: (chunk) => giver.give(current.add(chunk)),
      });
      watch.signal.throwIfAborted();
      watch.end();
      await giver.give(this.#ending(turn, current.end(end)));
      if (current.endsUnopenedReasoning) turn.adaptation.observe('opened_reasoning', 'an answer had </think> without <think>');
    } catch (fault) {
      const reason = watch.signal.aborted ? watch.signal.reason : fault;
      watch.giveUp();
      if (reading) await giver.give(reading.cost());
      throw reason;
    }
  }

  *#ending({ ask, adaptation }: Turn, pieces: Iterable<Piece>): Generator<Piece, void> {
    yield* noticesOf(ask, adaptation, this.#settings);
    yield* pieces;
  }

  /** Images are in memory only while a request with them is sent. */
  async #open(turn: Turn, watch: Watch): Promise<{ response: Response } & BuiltRequest> {
    const { ask, adaptation } = turn;
    const sees = hasImages(ask) && !adaptation.lacks.has('images');
    if (!sees) return this.#request(turn, { watch });
    return this.#sight.during({ ...ask, signal: watch.signal }, (urls) => this.#request(turn, { watch, urls }));
  }

  async #request(turn: Turn, { watch, urls }: { watch: Watch; urls?: ImageUrls }): Promise<{ response: Response } & BuiltRequest> {
    this.#client ??= this.#connect();
    const client = await this.#client;
    const { ask, adaptation } = turn;
    const { first_byte_ms } = ask.waits ?? usualWaits;
    const { max_tokens = 0 } = this.#settings;
    const built = requestOf(ask, { model: this.name, by: this.#by, urls, lacks: adaptation.lacks, max_tokens });
    turn.uses = built.uses;
    watch.expect(first_byte_ms, 'first_byte');
    const options = { signal: watch.signal, maxRetries: 0, timeout: first_byte_ms + 1_000 };
    return { ...built, response: await client.chat.completions.create(built.body, options).asResponse() };
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

/** One question, with all the ways in which it is asked. */
interface Turn {
  ask: Ask;
  giver: Giver;
  adaptation: Adaptation;
  /** Parts of the protocol that the last request needed. */
  uses: ReadonlySet<Feature>;
}
