import type { Clock } from '../../kernel/contract/index.js';
import type { Answerer, Run } from '../chat/contract.js';
import type { VirtualMember } from '../members/contract.js';
import { fail } from './codes.js';
import { history_limit, promptsOf } from './context.js';
import type { Employees } from './employees.js';
import type { ModelChain } from './model-chain.js';
import type { OfflineResponder } from './offline.js';

interface AnswererOptions {
  employees: Employees;
  /** Undefined where none is configured. */
  model: ModelChain | undefined;
  offline: OfflineResponder;
  clock: Clock;
  /** Keeps this version until the reply is written. */
  track: (work: Promise<unknown>) => void;
  /** Aborts when this extension stops and nobody takes over. */
  ending: AbortSignal;
}

/** Answers the messages to AI employees. */
export class EmployeeAnswerer implements Answerer {
  readonly target_type = 'ai';
  readonly #options: AnswererOptions;

  constructor(options: AnswererOptions) {
    this.#options = options;
  }

  defaultTarget(): Promise<number> {
    return this.#options.employees.default();
  }

  answer(run: Run): Promise<void> {
    const answer = this.#answer(run);
    this.#options.track(answer.catch(() => undefined));
    return answer;
  }

  async #answer(run: Run): Promise<void> {
    const { employees, model, offline, ending } = this.#options;
    const employee = await employees.get(run.task.member_id);
    if (!employee) throw fail('no_ai_employee', `AI employee ${run.task.member_id} does not exist any more`);
    const signal = AbortSignal.any([run.signal, ending]);
    try {
      await (model ? this.#ask(model, employee, { run, signal }) : offline.answer(employee, run, signal));
    } catch (fault) {
      if (ending.aborted) throw fail('interrupted', 'The extension that wrote this reply was stopped before the reply was whole');
      throw fault;
    }
  }

  async #ask(model: ModelChain, employee: VirtualMember, { run, signal }: { run: Run; signal: AbortSignal }): Promise<void> {
    const prompts = promptsOf(employee, await run.history(history_limit), this.#options.clock.iso());
    for await (const piece of model.answer({ prompts, signal })) {
      if (piece.type === 'text') await run.write(piece.text);
      else if (piece.type === 'reasoning') await run.reasoning(piece.text);
      else if (piece.type === 'usage') run.usage(piece.usage);
    }
  }
}
