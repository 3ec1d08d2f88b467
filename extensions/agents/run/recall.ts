import type { Clock } from '../../../kernel/contract/index.js';
import type { Image, Message, Run } from '../../chat/contract.js';
import type { KeptImage, Prompt, Thinker } from '../model/prompt.js';
import type { Toolbox } from '../tools/toolbox.js';
import {
  fit,
  history_limit,
  instructionsOf,
  type Persona,
  type Situation,
  short_tokens,
  type Turn,
  turnsOf,
  withImages,
} from './context.js';
import { Conversation } from './conversation.js';
import type { Making, Summaries, Summary } from './summaries.js';

export interface RecallOptions {
  summaries: Summaries;
  clock: Clock;
  /** The time zone that a member has set, or null. */
  zone: (member_id: number) => Promise<string | null>;
}

export interface Recalling {
  run: Run;
  persona: Persona;
  toolbox: Toolbox;
  model: Thinker;
  signal: AbortSignal;
  spend: Making['spend'];
}

/** What the conversation before a run may take of a model's window, roughly counted. */
const budget_tokens = 12_000;
/** What is left of it where older parts are summarised: so that this is seldom needed. */
const after_summary = 6_000;
const max_images = 8;

/** Remembers a conversation at the start of a run: its latest part, and notes of what was before. */
export class Recall {
  readonly #options: RecallOptions;

  constructor(options: RecallOptions) {
    this.#options = options;
  }

  async begin(recalling: Recalling): Promise<Conversation> {
    const { run, persona, toolbox } = recalling;
    const earlier = await this.#options.summaries.find(run.session.id);
    const turns = since(turnsOf(await run.history(history_limit), run.asker.member_id), earlier);
    const { kept, summary } = await this.#shorten(recalling, turns, earlier);
    const zone = await this.#options.zone(run.asker.member_id);
    const situation = this.#situation(recalling, { summary, zone });
    const system = (more: Partial<Situation>): Prompt => ({ role: 'system', content: instructionsOf(persona, { ...situation, ...more }) });
    const told = promptsOf(run, kept);
    const latest = new Set(fit(kept, short_tokens).kept);
    const short = told.filter(({ turn }) => latest.has(turn));
    const flat = (parts: typeof told) => parts.flatMap(({ prompts }) => prompts);
    return new Conversation([system({ guides: toolbox.guides() }), ...flat(told)], [system({}), ...flat(short)]);
  }

  /** Texts that have come meanwhile. */
  joined(run: Run, messages: readonly Message[]): Prompt[] {
    return promptsOf(run, turnsOf(messages, run.asker.member_id)).flatMap(({ prompts }) => prompts);
  }

  async #shorten(recalling: Recalling, turns: readonly Turn[], earlier: Summary | undefined): Promise<{ kept: Turn[]; summary: string }> {
    const whole = fit(turns, budget_tokens);
    if (whole.dropped.length === 0) return { kept: whole.kept, summary: earlier?.text ?? '' };
    const { kept, dropped } = fit(turns, after_summary);
    const { run, model, signal, spend } = recalling;
    const now = this.#options.clock.iso();
    const made = await this.#options.summaries.make({ model, session_id: run.session.id, earlier, turns: dropped, signal, now, spend });
    return made ? { kept, summary: made.text } : { kept: whole.kept, summary: earlier?.text ?? '' };
  }

  #situation({ run, toolbox }: Recalling, { summary, zone }: Pick<Situation, 'summary' | 'zone'>): Situation {
    return {
      asker: run.message.sender_name,
      now: this.#options.clock.iso(),
      zone,
      tools: toolbox.tools.length > 0,
      missing: toolbox.missing,
      summary,
    };
  }
}

/** Those after what the summary covers; all where that message is not among them. */
function since(turns: readonly Turn[], summary: Summary | undefined): readonly Turn[] {
  const at = turns.findIndex(({ message }) => message.id === summary?.message_id);
  return turns.slice(at + 1);
}

/** The latest images are seen. */
function promptsOf(run: Run, turns: readonly Turn[]): { turn: Turn; prompts: Prompt[] }[] {
  let left = max_images;
  const told: { turn: Turn; prompts: Prompt[] }[] = [];
  for (const turn of [...turns].reverse()) {
    const images = turn.message.role === 'user' ? turn.message.images.slice(0, left) : [];
    left -= images.length;
    told.unshift({
      turn,
      prompts: withImages(
        turn,
        images.map((image) => seenIn(run, image)),
      ),
    });
  }
  return told;
}

/** A run may wait for a person for a day: it keeps where an image is, and not its bytes. */
function seenIn(run: Run, image: Image): KeptImage {
  const read = async () => (await run.image(image).catch(() => undefined))?.bytes;
  return { mime_type: image.mime_type, read };
}
