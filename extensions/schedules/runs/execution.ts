import { type Caller, isFailure, type Outcome } from '../../../kernel/contract/index.js';
import type { Ended } from '../store/runs.js';
import { cut, type Made, madeOf } from './result.js';
import { isStream, readStream } from './stream.js';

/** What an attempt does, and for whom. */
export interface Order {
  run_id: number;
  action: string;
  params: object;
  timeout_s: number;
  /** As whom it runs; rejects where it can't. */
  caller: Promise<Caller>;
}

export interface ExecutionParts {
  now: () => number;
  invoke: (operation: string, input: object, caller: Caller, options: { signal: AbortSignal }) => Promise<Outcome>;
  /** Whether schedules may run this operation now. */
  schedulable: (operation: string) => boolean;
}

/** Why an attempt is stopped. `cancelled`: its row has ended already. */
export type StopReason = 'cancelled' | 'interrupted';

export type Attempt = Omit<Ended, 'ready_at' | 'schedule_id'>;

/** What a column takes; a clock may be set forward by years meanwhile. */
const longest_ms = 2_147_483_647;
const timed_out = Symbol('timed out');

/** One attempt of a run, from its claim to its outcome. */
export class Execution {
  readonly run_id: number;
  /** Its outcome. Never rejects; undefined where its row has ended already. */
  readonly ended: Promise<Attempt | undefined>;
  readonly #parts: ExecutionParts;
  readonly #controller = new AbortController();
  #stopped: StopReason | undefined;

  constructor(order: Order, parts: ExecutionParts) {
    this.run_id = order.run_id;
    this.#parts = parts;
    this.ended = this.#run(order);
  }

  stop(reason: StopReason): void {
    this.#stopped ??= reason;
    this.#controller.abort();
  }

  async #run(order: Order): Promise<Attempt | undefined> {
    const { now } = this.#parts;
    const started = now();
    const outcome = await this.#outcome(order);
    if (this.#stopped === 'cancelled') return undefined;
    const finished_at = now();
    return { id: order.run_id, finished_at, duration_ms: Math.min(Math.max(0, finished_at - started), longest_ms), ...outcome };
  }

  async #outcome(order: Order): Promise<Made & Pick<Attempt, 'status' | 'error_code'>> {
    try {
      const body = await this.#within(order.timeout_s * 1_000, this.#invoke(order));
      return { status: 'success', error_code: null, ...madeOf(body) };
    } catch (fault) {
      if (this.#stopped) return failed('interrupted', 'It was stopped while it ran: the platform, or its schedules, ended');
      if (fault !== timed_out) return failedBy(fault);
      return { ...failed('timeout', `It took longer than ${order.timeout_s} s and was given up`), status: 'timeout' };
    }
  }

  async #invoke({ action, params, caller }: Order): Promise<unknown> {
    const as = await caller;
    this.#controller.signal.throwIfAborted();
    if (!this.#parts.schedulable(action)) throw absent(action);
    const { body } = await this.#parts.invoke(action, params, as, { signal: this.#controller.signal });
    return isStream(body) ? readStream(body, this.#controller.signal) : body;
  }

  /** What `work` gives; whoever is stopped or takes too long is not waited for. */
  async #within(limit_ms: number, work: Promise<unknown>): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const given_up = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(timed_out);
        this.#controller.abort();
      }, limit_ms);
      this.#controller.signal.addEventListener('abort', () => reject(timed_out), { once: true });
    });
    try {
      return await Promise.race([work, given_up]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function failed(error_code: string, result: string) {
  return { status: 'failed', error_code, result, session_id: null, task_id: null } as const;
}

function failedBy(fault: unknown) {
  if (isFailure(fault)) return failed(fault.code, cut(fault.message));
  return failed('internal_error', 'It failed for a reason that is in the log of the server');
}

function absent(action: string): Error {
  const failure = new Error(
    `There is no operation '${action}' that schedules may run: the extension that brought it is gone, or stands still`,
  );
  return Object.assign(failure, { isFailure: true, code: 'action_not_found' });
}
