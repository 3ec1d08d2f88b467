import type { Answerer, Place, Placing, Run } from '../../chat/contract.js';
import type { Approvals, ToolRequest } from '../approvals/approvals.js';
import { fail } from '../codes.js';
import type { Cost, ModelAnswerer } from '../model/prompt.js';
import type { OfflineResponder } from '../offline/responder.js';
import { isCommand } from '../offline/slash.js';
import { openRunTools, type RunTools, type RunToolsSource } from '../tools/run-tools.js';
import { history_limit } from './context.js';
import type { Conversation } from './conversation.js';
import { announceLimit, type LimitListener, Limits } from './limits.js';
import { Loop, type Sink } from './loop.js';
import type { Recall } from './recall.js';
import type { RunEmployee } from './run-employee.js';

export interface AnswererOptions extends RunToolsSource, LimitListener {
  defaultTarget: () => Promise<number>;
  approvals: Approvals;
  recall: Recall;
  offline: OfflineResponder;
  /** Keeps this version loaded until the reply is written. */
  track: (work: Promise<unknown>) => void;
  /** Aborts when this extension stops without a replacement. */
  ending: AbortSignal;
}

/** Run in progress. Its conversation is reused if texts join at its end. */
interface ActiveRun {
  run: Run;
  worker: RunEmployee;
  limits: Limits;
  signal: AbortSignal;
}

/** Answers messages to AI employees. */
export class EmployeeAnswerer implements Answerer {
  readonly target_type = 'ai';
  readonly #options: AnswererOptions;
  readonly #conversations = new WeakMap<Run, Conversation>();

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
    const { worker: find, ending } = this.#options;
    const worker = await find(run.task.member_id);
    if (!worker) throw fail('no_ai_employee', `AI employee ${run.task.member_id} no longer exists`);
    const limits = new Limits(worker.limits);
    const signal = AbortSignal.any([run.signal, ending, limits.signal]);
    try {
      await this.#work({ run, worker, limits, signal });
    } catch (fault) {
      if (run.signal.aborted) throw fault;
      if (ending.aborted) throw fail('interrupted', 'The extension stopped before the reply was complete; try again');
      if (limits.reached) await announceLimit(this.#options, limits.reached, requestOf(run));
      throw limits.reached ?? fault;
    } finally {
      limits.end();
    }
  }

  async #work(work: ActiveRun): Promise<void> {
    const { offline } = this.#options;
    const { run, worker, signal } = work;
    if (worker.model) await this.#think(work, worker.model(run.task.reply_id));
    else await offline.answer({ run, name: worker.name, signal, tools: () => this.#tools(work) });
  }

  async #think({ run, worker, limits, signal }: ActiveRun, model: ModelAnswerer): Promise<void> {
    const { recall, offline } = this.#options;
    const kit = await this.#tools({ run, worker, limits, signal });
    if (run.written === '' && isCommand(run.message.content, kit))
      return offline.reply({ run, name: worker.name, signal, tools: async () => kit }, run.message);
    const { toolbox, calls } = kit;
    const spend = async ({ usage }: Cost) => {
      run.usage(usage);
      limits.spend(usage.input_tokens + usage.output_tokens);
    };
    const known = this.#conversations.get(run);
    const conversation = known ?? (await recall.begin({ run, persona: worker, toolbox, model, signal, spend }));
    this.#conversations.set(run, conversation);
    // The reply was begun by another version of this extension, which has since been replaced.
    if (!known && run.written !== '') conversation.add({ role: 'assistant', content: run.written });
    const join = async () => recall.joined(run, await run.joined());
    await new Loop({ sink: sinkOf(run), join, model, conversation, toolbox, calls, limits, signal, spend }).run();
  }

  #tools({ run, worker, limits: { stopwatch }, signal }: ActiveRun): Promise<RunTools> {
    const { member_id, requested_by, node_id } = run.task;
    const asker = { member_id: requested_by, scopes: run.asker.scopes };
    const permit = (request: ToolRequest, until: AbortSignal) => this.#options.approvals.permit(run, request, until);
    return openRunTools(this.#options, { employee_id: member_id, worker, asker, node_id, permit, reports: run.tools, stopwatch, signal });
  }
}

/** Forwards the work to chat. */
function sinkOf(run: Run): Sink {
  return {
    get written() {
      return run.written;
    },
    write: (text) => run.write(text),
    reasoning: (text) => run.reasoning(text),
    notice: async (notice) => {
      // Announce a missing ability once in a conversation.
      if (notice.code === 'answer_cut' || !(await wasAnnounced(run, notice.code))) await run.notice(notice);
    },
  };
}

async function wasAnnounced(run: Run, code: string): Promise<boolean> {
  return (await run.history(history_limit)).some(({ notices }) => notices.some((notice) => notice.code === code));
}

function requestOf({ task: { id: task_id, member_id, requested_by, session_id } }: Run) {
  return { member_id, requested_by, session_id, task_id };
}
