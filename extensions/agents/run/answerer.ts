import type { Answerer, Place, Placing, Run } from '../../chat/contract.js';
import type { Approvals, ToolRequest } from '../approvals/approvals.js';
import { fail } from '../codes.js';
import type { Cost, ModelAnswerer } from '../model/prompt.js';
import type { OfflineResponder } from '../offline/responder.js';
import { isCommand } from '../offline/slash.js';
import { openRunTools, type RunTools, type RunToolsSource } from '../tools/run-tools.js';
import { history_limit } from './context.js';
import { announceLimit, type LimitListener, Limits } from './limits.js';
import { Loop, type Sink } from './loop.js';
import type { Recall } from './recall.js';
import { RunContext } from './run-context.js';
import type { RunEmployee } from './run-employee.js';

export interface AnswererOptions extends RunToolsSource, LimitListener {
  /** Returns the AI employee that answers if a message names none. */
  defaultTarget: () => Promise<number>;
  approvals: Approvals;
  recall: Recall;
  offline: OfflineResponder;
  /** Keeps this version loaded until the reply is written. */
  track: (work: Promise<unknown>) => void;
  /** Aborts when this extension stops without a replacement. */
  ending: AbortSignal;
}

/** A run in progress, with what holds for all of it. */
interface ActiveRun {
  run: Run;
  employee: RunEmployee;
  limits: Limits;
  /** Aborts when the run is stopped, its time is up, or the extension stops. */
  signal: AbortSignal;
}

/**
 * Answers messages to AI employees: chat calls {@link answer} for each task. With a model the run is a {@link Loop}; without one, and for
 * commands such as `/help`, the offline responder answers.
 */
export class EmployeeAnswerer implements Answerer {
  readonly target_type = 'ai';
  readonly #options: AnswererOptions;
  /** Contexts by run: chat may call {@link answer} again for a run, with texts that people have sent since. */
  readonly #contexts = new WeakMap<Run, RunContext>();

  constructor(options: AnswererOptions) {
    this.#options = options;
  }

  defaultTarget(): Promise<number> {
    return this.#options.defaultTarget();
  }

  places(placings: readonly Placing[]): Promise<Place[]> {
    return this.#options.placement.places(placings);
  }

  answer(run: Run): Promise<void> {
    const answer = this.#answer(run);
    this.#options.track(answer.catch(() => undefined));
    return answer;
  }

  async #answer(run: Run): Promise<void> {
    const { findEmployee, ending } = this.#options;
    const employee = await findEmployee(run.task.member_id);
    if (!employee) throw fail('no_ai_employee', `AI employee ${run.task.member_id} no longer exists`);
    const limits = new Limits(employee.limits);
    const signal = AbortSignal.any([run.signal, ending, limits.signal]);
    try {
      await this.#perform({ run, employee, limits, signal });
    } catch (fault) {
      if (run.signal.aborted) throw fault;
      if (ending.aborted) throw fail('interrupted', 'The extension stopped before the reply was complete; try again');
      if (limits.reached) await announceLimit(this.#options, limits.reached, requestOf(run));
      throw limits.reached ?? fault;
    } finally {
      limits.end();
    }
  }

  async #perform(active: ActiveRun): Promise<void> {
    const { offline } = this.#options;
    const { run, employee, signal } = active;
    const { reply_id, requested_by } = run.task;
    const reply = { reply_id, requested_by, room_id: run.room?.session_id ?? null };
    if (employee.model) await this.#answerByModel(active, employee.model(reply));
    else await offline.answer({ run, name: employee.name, signal, tools: () => this.#openTools(active) });
  }

  async #answerByModel({ run, employee, limits, signal }: ActiveRun, model: ModelAnswerer): Promise<void> {
    const { recall, offline } = this.#options;
    const tools = await this.#openTools({ run, employee, limits, signal });
    if (run.written === '' && isCommand(run.message.content, tools))
      return offline.reply({ run, name: employee.name, signal, tools: async () => tools }, run.message);
    const { toolbox, calls } = tools;
    const spend = async ({ usage }: Cost) => {
      run.usage(usage);
      limits.spend(usage.input_tokens + usage.output_tokens);
    };
    const input = { run, persona: employee, toolbox, model, signal, spend };
    const known = this.#contexts.get(run);
    const context = known ?? (await RunContext.begin(recall, input));
    const { conversation } = context;
    this.#contexts.set(run, context);
    // The text is from another version of this extension, which began the reply and has since been replaced.
    if (!known && run.written !== '') conversation.add({ role: 'assistant', content: run.written });
    const join = () => context.join(input);
    await new Loop({ sink: sinkOf(run), join, model, conversation, toolbox, calls, limits, signal, spend }).run();
  }

  #openTools({ run, employee, limits: { stopwatch }, signal }: ActiveRun): Promise<RunTools> {
    const { member_id, requested_by, node_id } = run.task;
    const asker = { member_id: requested_by, scopes: run.asker.scopes };
    const permit = (request: ToolRequest, until: AbortSignal) => this.#options.approvals.permit(run, request, until);
    const use = { employee_id: member_id, employee, asker, node_id, permit, reports: run.tools, stopwatch, signal };
    return openRunTools(this.#options, { ...use, room: run.room });
  }
}

/** Returns a sink that writes into the reply in chat. */
function sinkOf(run: Run): Sink {
  return {
    get written() {
      return run.written;
    },
    write: (text) => run.write(text),
    reasoning: (text) => run.reasoning(text),
    notice: async (notice) => {
      // The other codes say what the model can't do, so they are announced once in a conversation.
      if (notice.code === 'answer_cut' || !(await wasAnnounced(run, notice.code))) await run.notice(notice);
    },
  };
}

async function wasAnnounced(run: Run, code: string): Promise<boolean> {
  return (await run.history(history_limit)).some(({ notices }) => notices.some((notice) => notice.code === code));
}

/** Returns whose run it is, for the event about a reached limit. */
function requestOf({ task: { id: task_id, member_id, requested_by, session_id } }: Run) {
  return { member_id, requested_by, session_id, task_id };
}
