import type { Caller, Clock } from '../../../kernel/contract/index.js';
import type { ToolReports, Usage } from '../../chat/contract.js';
import { fail } from '../codes.js';
import type { Cost, ModelAnswerer, Prompt, ToolUse } from '../model/prompt.js';
import type { OfflineResponder } from '../offline/responder.js';
import { costOf, instructionsOf, short_tokens } from '../run/context.js';
import { Conversation } from '../run/conversation.js';
import { announceLimit, type LimitListener, Limits } from '../run/limits.js';
import { Loop } from '../run/loop.js';
import type { RunEmployee } from '../run/run-employee.js';
import { openRunTools, type RunTools, type RunToolsSource } from '../tools/run-tools.js';
import type { Toolbox } from '../tools/toolbox.js';
import type { ActiveCompletions } from './active-completions.js';
import type { CompletionRequest } from './completion.js';
import type { CompletionSink } from './sink.js';

export interface CompletionRunOptions extends RunToolsSource, LimitListener {
  offline: OfflineResponder;
  clock: Clock;
  underWay: ActiveCompletions;
  /** Reads the time zone that a member has set, or null. */
  zone: (member_id: number) => Promise<string | null>;
  /** Aborts when this extension stops without a replacement. */
  ending: AbortSignal;
}

/** Participants of one answer. */
export interface CompletionTask {
  asked: CompletionRequest;
  /** Id of the answer, also used for the employee's usage. */
  id: string;
  employee: { id: number; name: string };
  asker: Caller;
  sink: CompletionSink;
  signal: AbortSignal;
}

/** Participants with the node on which the AI employee works. */
type PlacedTask = CompletionTask & { node_id: number | null };

export interface CompletionResult {
  /** Tool calls that the client must run before it asks again. */
  uses: readonly ToolUse[];
  usage: Usage;
  /** Whether the answer reached its token limit. */
  isCut: boolean;
}

const approvalRefusal =
  "This needs a person's approval, which is not possible here. Tell the person to ask you for it in the platform's chat.";

/**
 * Runs one answer in a conversation that the client stores. The work is the same as in a chat: with the employee's
 * tools and the caller's permissions. Nobody can approve here, so calls that need approval are refused.
 */
export class CompletionRun {
  readonly #options: CompletionRunOptions;

  constructor(options: CompletionRunOptions) {
    this.#options = options;
  }

  answer(task: CompletionTask): Promise<CompletionResult> {
    return this.#options.underWay.during(task.employee.id, () => this.#answer(task));
  }

  async #answer(task: CompletionTask): Promise<CompletionResult> {
    const { findEmployee, ending } = this.#options;
    const runEmployee = await findEmployee(task.employee.id);
    if (!runEmployee) throw fail('employee_not_found', `AI employee ${task.employee.id} no longer exists`);
    const node_id = await this.#nodeOf(runEmployee, task);
    const limits = new Limits(runEmployee.limits);
    const signal = AbortSignal.any([task.signal, ending, limits.signal]);
    try {
      return await this.#work({ ...task, node_id, signal }, runEmployee, limits);
    } catch (fault) {
      if (ending.aborted) throw fail('interrupted', 'The extension stopped before the answer was complete; try again');
      if (limits.reached && !task.signal.aborted) await announceLimit(this.#options, limits.reached, requestOf(task));
      throw limits.reached ?? fault;
    } finally {
      limits.end();
    }
  }

  /** Returns the node to work on. A chat task would wait for its node; here the client gets an error and may retry. */
  async #nodeOf(runEmployee: RunEmployee, { asker }: CompletionTask): Promise<number | null> {
    const { node_id, waits } = await this.#options.placement.place(runEmployee, asker);
    if (waits === undefined) return node_id;
    const state = waits === 'node_offline' ? 'is offline' : 'takes no new work';
    throw fail(waits, `Node ${node_id} of ${runEmployee.name} ${state}, and no other is ready; try again later`, {
      retry_after: 30,
    });
  }

  async #work(task: PlacedTask, runEmployee: RunEmployee, limits: Limits): Promise<CompletionResult> {
    const tools = await this.#tools(task, runEmployee, limits);
    if (!runEmployee.model) return this.#offline(task, tools);
    const { toolbox, calls } = tools;
    const usage: Usage = { input_tokens: 0, output_tokens: 0 };
    const spend = async (cost: Cost) => {
      usage.input_tokens += cost.usage.input_tokens;
      usage.output_tokens += cost.usage.output_tokens;
      limits.spend(cost.usage.input_tokens + cost.usage.output_tokens);
    };
    const { id, asked, sink, signal } = task;
    const model: ModelAnswerer = runEmployee.model({ reply_id: id, requested_by: task.asker.member_id, room_id: null });
    const zone = await this.#options.zone(task.asker.member_id);
    const conversation = this.#conversation(task, runEmployee, { toolbox, zone });
    const join = async () => [];
    const loop = new Loop({ sink, join, model, conversation, toolbox, calls, clientTools: asked.tools, limits, signal, spend });
    const uses = await loop.run();
    return { uses, usage, isCut: sink.isCut };
  }

  async #offline({ asked, employee, sink, signal }: CompletionTask, tools: RunTools): Promise<CompletionResult> {
    const content = asked.prompts.findLast(({ role }) => role === 'user')?.content ?? '';
    const run = {
      message: { content },
      joined: async () => [],
      write: (delta: string) => sink.write(delta),
      get written() {
        return sink.written;
      },
    };
    await this.#options.offline.answer({ run, name: employee.name, signal, tools: async () => tools });
    return { uses: [], usage: { input_tokens: 0, output_tokens: 0 }, isCut: false };
  }

  #tools({ employee, asker, node_id, signal }: PlacedTask, runEmployee: RunEmployee, { stopwatch }: Limits): Promise<RunTools> {
    const permit = async () => approvalRefusal;
    return openRunTools(this.#options, {
      employee_id: employee.id,
      employee: runEmployee,
      asker,
      node_id,
      permit,
      reports: discardedReports(),
      stopwatch,
      signal,
    });
  }

  #conversation(
    { asked, asker }: CompletionTask,
    runEmployee: RunEmployee,
    { toolbox, zone }: { toolbox: Toolbox; zone: string | null },
  ): Conversation {
    const { tools, missing } = toolbox;
    const situation = { asker: asker.username, now: this.#options.clock.iso(), zone, tools: tools.length > 0, missing, summary: '' };
    const notes = asked.notes === '' ? '' : `\n\nThe client program adds:\n${asked.notes}`;
    const system = (guides: readonly string[]): Prompt => ({
      role: 'system',
      content: instructionsOf(runEmployee, { ...situation, guides }) + notes,
    });
    const guides = toolbox.guides(new Set(asked.tools.map(({ name }) => name)));
    return new Conversation([system(guides), ...asked.prompts], [system([]), ...latestOf(asked.prompts)]);
  }
}

function requestOf({ employee, asker }: CompletionTask) {
  return { member_id: employee.id, requested_by: asker.member_id, session_id: null, task_id: null };
}

/**
 * Returns the latest messages within the token budget, starting at a user message, so that no call is separated from
 * its answer. The last user message is always included.
 */
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

/** Creates reports that are discarded: OpenAI's protocol can't express tools that run on the server. */
function discardedReports(): ToolReports {
  let count = 0;
  return {
    started: async () => `call_${++count}`,
    input: async () => undefined,
    output: async () => undefined,
    finished: async () => undefined,
  };
}
