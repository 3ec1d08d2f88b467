import { type Clock, hasScope } from '../../../kernel/contract/index.js';
import type { Message, Run } from '../../chat/contract.js';
import type { ModelAnswerer, Prompt } from '../model/prompt.js';
import type { Toolbox } from '../tools/toolbox.js';
import {
  file_tool,
  fit,
  history_limit,
  instructionsOf,
  type Persona,
  type Reading,
  type Situation,
  short_tokens,
  type Turn,
  turnsOf,
  withImages,
} from './context.js';
import { Conversation } from './conversation.js';
import { imagesOf } from './message-images.js';
import { isInRoom } from './room.js';
import type { Summaries, Summary, SummaryInput } from './summaries.js';

export interface RecallOptions {
  summaries: Summaries;
  clock: Clock;
  /** Reads the time zone that a member has set, or null. */
  zone: (member_id: number) => Promise<string | null>;
}

export interface RecallInput {
  run: Run;
  persona: Persona;
  toolbox: Toolbox;
  model: ModelAnswerer;
  signal: AbortSignal;
  spend: SummaryInput['spend'];
}

/** A run that reads messages, and its tools. */
type Reader = Pick<RecallInput, 'run' | 'toolbox'>;

/** Token budget of the conversation before a run. Rough count. */
const budget_tokens = 12_000;
/** Budget after summarising; smaller, so that summaries are seldom needed. */
const summarised_budget_tokens = 6_000;
const max_images = 8;

/** Prompts of the conversation before a run, and the short form of them. */
interface Recalled {
  before: Prompt[];
  short: Prompt[];
  /** Last edit or deletion among the messages that were read. */
  changed_at: string | null;
}

/** Loads a conversation at the start of a run: its latest part, and a summary of the rest. */
export class Recall {
  readonly #options: RecallOptions;

  constructor(options: RecallOptions) {
    this.#options = options;
  }

  async begin(recalling: RecallInput): Promise<{ conversation: Conversation; changed_at: string | null }> {
    const { before, short, changed_at } = await this.prompts(recalling);
    return { conversation: new Conversation(before, short), changed_at };
  }

  /** Reads the conversation as it is now. */
  async prompts(recalling: RecallInput): Promise<Recalled> {
    const { run, persona, toolbox } = recalling;
    const earlier = isInRoom(run) ? undefined : await this.#options.summaries.find(run.session.id);
    const history = await run.history(history_limit);
    const turns = turnsAfter(turnsOf(history, readingOf(recalling)), earlier);
    const { kept, summary } = await this.#shorten(recalling, turns, earlier);
    // A member's settings are nobody else's concern.
    const zone = isInRoom(run) ? null : await this.#options.zone(run.asker.member_id);
    const situation = this.#situation(recalling, { summary, zone });
    const system = (more: Partial<Situation>): Prompt => ({ role: 'system', content: instructionsOf(persona, { ...situation, ...more }) });
    const included = promptsOf(run, kept);
    const latest = new Set(fit(kept, short_tokens).kept);
    const short = included.filter(({ turn }) => latest.has(turn));
    const flat = (parts: typeof included) => parts.flatMap(({ prompts }) => prompts);
    return {
      before: [system({ guides: toolbox.guides() }), ...flat(included)],
      short: [system({}), ...flat(short)],
      changed_at: lastChangeOf(history),
    };
  }

  /** Converts messages that have joined since to prompts. */
  joined(recalling: Reader, messages: readonly Message[]): Prompt[] {
    return promptsOf(recalling.run, turnsOf(messages, readingOf(recalling))).flatMap(({ prompts }) => prompts);
  }

  async #shorten(recalling: RecallInput, turns: readonly Turn[], earlier: Summary | undefined): Promise<{ kept: Turn[]; summary: string }> {
    const whole = fit(turns, budget_tokens);
    // A room has no summaries: each of its AI employees would write them with its own model.
    if (whole.dropped.length === 0 || isInRoom(recalling.run)) return { kept: whole.kept, summary: earlier?.text ?? '' };
    const { kept, dropped } = fit(turns, summarised_budget_tokens);
    const { run, model, signal, spend } = recalling;
    const now = this.#options.clock.iso();
    const created = await this.#options.summaries.create({
      model,
      session_id: run.session.id,
      earlier,
      turns: dropped,
      signal,
      now,
      isCurrent: () => isCurrent(run, dropped),
      spend,
    });
    return created ? { kept, summary: created.text } : { kept: whole.kept, summary: earlier?.text ?? '' };
  }

  #situation({ run, toolbox }: RecallInput, { summary, zone }: Pick<Situation, 'summary' | 'zone'>): Situation {
    return {
      asker: run.message.sender_name,
      now: this.#options.clock.iso(),
      zone,
      tools: toolbox.tools.length > 0,
      missing: toolbox.missing,
      summary,
      room: isInRoom(run) ? run.session.title : undefined,
    };
  }
}

/** Returns whether no message of these turns was changed since they were read. */
async function isCurrent(run: Run, turns: readonly Turn[]): Promise<boolean> {
  const now = await run.reread(turns.map(({ message }) => message.id));
  const changes = new Map(now.map(({ id, edited_at, deleted_at }) => [id, `${edited_at} ${deleted_at}`]));
  return turns.every(({ message: { id, edited_at, deleted_at } }) => changes.get(id) === `${edited_at} ${deleted_at}`);
}

function lastChangeOf(messages: readonly Message[]): string | null {
  const times = messages.flatMap(({ edited_at, deleted_at }) => [edited_at ?? '', deleted_at ?? '']).sort();
  return times.at(-1) || null;
}

function readingOf({ run, toolbox }: Reader): Reading {
  const { member_id: asker_id, scopes } = run.asker;
  const reads_files = toolbox.tools.some(({ name }) => name === file_tool);
  const employee_id = isInRoom(run) ? run.task.member_id : undefined;
  return { asker_id, employee_id, reads_files, sees_files: hasScope(scopes, 'read') };
}

/** Returns the turns after the summary; all if its message is not among them. */
function turnsAfter(turns: readonly Turn[], summary: Summary | undefined): readonly Turn[] {
  const at = turns.findIndex(({ message }) => message.id === summary?.message_id);
  return turns.slice(at + 1);
}

/** Converts turns to prompts, including the latest images. */
function promptsOf(run: Run, turns: readonly Turn[]): { turn: Turn; prompts: Prompt[] }[] {
  let left = max_images;
  const told: { turn: Turn; prompts: Prompt[] }[] = [];
  for (const turn of [...turns].reverse()) {
    const { message, image_files } = turn;
    const images = message.role === 'user' ? imagesOf(run, { images: message.images, files: image_files }, left) : [];
    left -= images.length;
    told.unshift({ turn, prompts: withImages(turn, images) });
  }
  return told;
}
