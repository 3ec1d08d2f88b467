import type { Caller, Clock } from '../../../kernel/contract/index.js';
import type { ToolReports, Usage } from '../../chat/contract.js';
import { fail } from '../codes.js';
import type { Cost, Prompt, Thinker, ToolUse } from '../model/prompt.js';
import type { OfflineResponder } from '../offline/responder.js';
import { costOf, instructionsOf, short_tokens } from '../run/context.js';
import { Conversation } from '../run/conversation.js';
import { type LimitListener, Limits, tellReached } from '../run/limits.js';
import { Loop } from '../run/loop.js';
import type { Worker } from '../run/worker.js';
import { type Kit, type KitSource, openKit } from '../tools/kit.js';
import type { Toolbox } from '../tools/toolbox.js';
import type { Completion } from './completion.js';
import type { DoorSink } from './sink.js';
import type { UnderWay } from './under-way.js';

export interface TalkOptions extends KitSource, LimitListener {
  offline: OfflineResponder;
  clock: Clock;
  underWay: UnderWay;
  /** The time zone that a member has set, or null. */
  zone: (member_id: number) => Promise<string | null>;
  /** Aborts when this extension stops and nobody takes over. */
  ending: AbortSignal;
}

/** Who talks with whom. */
export interface Talking {
  asked: Completion;
  /** Names the answer, in the usage of the employee too. */
  id: string;
  employee: { id: number; name: string };
  asker: Caller;
  sink: DoorSink;
  signal: AbortSignal;
}

/** Somebody who talks, with where the AI employee works for them. */
type Placed = Talking & { node_id: number | null };

export interface Said {
  /** What the client shall run; then it asks again. */
  uses: readonly ToolUse[];
  usage: Usage;
  /** Whether the answer reached its limit of tokens. */
  isCut: boolean;
}

const refused =
  'This needs the approval of a person, and nobody can be asked for it here. Tell the person to ask you for it in the chat of the platform.';

/**
 * One answer of an AI employee in a conversation that its client keeps: the same work as in a chat, with its tools
 * and the rights of who asks. Nobody is there to approve: what would have to be asked for is refused.
 */
export class Talk {
  readonly #options: TalkOptions;

  constructor(options: TalkOptions) {
    this.#options = options;
  }

  answer(talking: Talking): Promise<Said> {
    return this.#options.underWay.during(talking.employee.id, () => this.#answer(talking));
  }

  async #answer(talking: Talking): Promise<Said> {
    const { worker: find, ending } = this.#options;
    const worker = await find(talking.employee.id);
    if (!worker) throw fail('employee_not_found', `AI employee ${talking.employee.id} does not exist any more`);
    const node_id = await this.#nodeOf(worker, talking);
    const limits = new Limits(worker.limits);
    const signal = AbortSignal.any([talking.signal, ending, limits.signal]);
    try {
      return await this.#work({ ...talking, node_id, signal }, worker, limits);
    } catch (fault) {
      if (ending.aborted) throw fail('interrupted', 'The extension that wrote this answer was stopped before the answer was whole');
      if (limits.reached && !talking.signal.aborted) await tellReached(this.#options, limits.reached, requestOf(talking));
      throw limits.reached ?? fault;
    } finally {
      limits.end();
    }
  }

  /** A task of a chat would wait for its node. A client that waits here for an answer is told, and may come again. */
  async #nodeOf(worker: Worker, { asker }: Talking): Promise<number | null> {
    const { node_id, waits } = await this.#options.placement.place(worker, asker);
    if (waits === undefined) return node_id;
    const state = waits === 'node_offline' ? 'is offline' : 'takes no new work';
    throw fail(waits, `Node ${node_id}, on which ${worker.name} works, ${state}, and no other is ready; try again later`, {
      retry_after: 30,
    });
  }

  async #work(talking: Placed, worker: Worker, limits: Limits): Promise<Said> {
    const kit = await this.#tools(talking, worker, limits);
    if (!worker.model) return this.#offline(talking, kit);
    const { toolbox, calls } = kit;
    const usage: Usage = { input_tokens: 0, output_tokens: 0 };
    const spend = async (cost: Cost) => {
      usage.input_tokens += cost.usage.input_tokens;
      usage.output_tokens += cost.usage.output_tokens;
      limits.spend(cost.usage.input_tokens + cost.usage.output_tokens);
    };
    const { id, asked, sink, signal } = talking;
    const model: Thinker = worker.model(id);
    const zone = await this.#options.zone(talking.asker.member_id);
    const conversation = this.#conversation(talking, worker, { toolbox, zone });
    const join = async () => [];
    const loop = new Loop({ sink, join, model, conversation, toolbox, calls, outside: asked.tools, limits, signal, spend });
    const uses = await loop.run();
    return { uses, usage, isCut: sink.isCut };
  }

  async #offline({ asked, employee, sink, signal }: Talking, kit: Kit): Promise<Said> {
    const content = asked.prompts.findLast(({ role }) => role === 'user')?.content ?? '';
    const run = {
      message: { content },
      joined: async () => [],
      write: (delta: string) => sink.write(delta),
      get written() {
        return sink.written;
      },
    };
    await this.#options.offline.answer({ run, name: employee.name, signal, tools: async () => kit });
    return { uses: [], usage: { input_tokens: 0, output_tokens: 0 }, isCut: false };
  }

  #tools({ employee, asker, node_id, signal }: Placed, worker: Worker, { stopwatch }: Limits): Promise<Kit> {
    const permit = async () => refused;
    return openKit(this.#options, { employee_id: employee.id, worker, asker, node_id, permit, reports: unseen(), stopwatch, signal });
  }

  #conversation({ asked, asker }: Talking, worker: Worker, { toolbox, zone }: { toolbox: Toolbox; zone: string | null }): Conversation {
    const { tools, missing } = toolbox;
    const situation = { asker: asker.username, now: this.#options.clock.iso(), zone, tools: tools.length > 0, missing, summary: '' };
    const notes = asked.notes === '' ? '' : `\n\nThe program through which you are asked adds:\n${asked.notes}`;
    const system = (guides: readonly string[]): Prompt => ({
      role: 'system',
      content: instructionsOf(worker, { ...situation, guides }) + notes,
    });
    const guides = toolbox.guides(new Set(asked.tools.map(({ name }) => name)));
    return new Conversation([system(guides), ...asked.prompts], [system([]), ...latestOf(asked.prompts)]);
  }
}

function requestOf({ employee, asker }: Talking) {
  return { member_id: employee.id, requested_by: asker.member_id, session_id: null, task_id: null };
}

/** From a message of a person on, so that no call is parted from its answer; the last such message is always there. */
function latestOf(prompts: readonly Prompt[]): readonly Prompt[] {
  let from = Math.max(
    0,
    prompts.findLastIndex(({ role }) => role === 'user'),
  );
  let left = short_tokens;
  for (let at = prompts.length - 1; at >= 0; at -= 1) {
    left -= costOf(prompts[at] as Prompt);
    if (left < 0) break;
    if (prompts[at]?.role === 'user') from = Math.min(from, at);
  }
  return prompts.slice(from);
}

/** OpenAI's protocol has no words for tools that run on the server's side. */
function unseen(): ToolReports {
  let count = 0;
  return {
    started: async () => `call_${++count}`,
    output: async () => undefined,
    finished: async () => undefined,
  };
}
