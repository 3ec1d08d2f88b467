import { type Caller, isFailure, type Outcome, untilAborted } from '../../../kernel/contract/index.js';
import type { Ended } from '../store/runs-sql.js';
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

export interface AttemptParts {
  now: () => number;
  invoke: (operation: string, input: object, caller: Caller, options: { signal: AbortSignal }) => Promise<Outcome>;
  /** Whether schedules may run this operation now. */
  schedulable: (operation: string) => boolean;
}

export type Attempt = Omit<Ended, 'ready_at' | 'schedule_id'>;

/** Limit of the column; a clock may be set forward by years meanwhile. */
const max_duration_ms = 2_147_483_647;

/**
 * Performs an attempt. Never rejects; undefined if `signal` aborted because the run's row has ended already. Whoever is
 * stopped or takes too long is not waited for.
 */
export async function attempt(order: Order, parts: AttemptParts, signal: AbortSignal): Promise<Attempt | undefined> {
  const started = parts.now();
  const outcome = await outcomeOf(order, parts, signal);
  if (signal.aborted && signal.reason !== 'interrupted') return undefined;
  const finished_at = parts.now();
  return { id: order.run_id, finished_at, duration_ms: Math.min(Math.max(0, finished_at - started), max_duration_ms), ...outcome };
}

async function outcomeOf(order: Order, parts: AttemptParts, signal: AbortSignal): Promise<Made & Pick<Attempt, 'status' | 'error_code'>> {
  const { timeout_s } = order;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeout_s * 1_000);
  const either = AbortSignal.any([signal, late.signal]);
  try {
    const body = await untilAborted(invoke(order, parts, either), either);
    return { status: 'success', error_code: null, ...madeOf(body) };
  } catch (fault) {
    if (signal.aborted) return failed('interrupted', 'It was stopped while it ran: the platform, or its schedules, ended');
    if (!late.signal.aborted) return failedBy(fault);
    return { ...failed('timeout', `It took longer than ${timeout_s} s and was given up`), status: 'timeout' };
  } finally {
    clearTimeout(timer);
  }
}

async function invoke({ action, params, caller }: Order, parts: AttemptParts, signal: AbortSignal): Promise<unknown> {
  const as = await caller;
  signal.throwIfAborted();
  if (!parts.schedulable(action)) throw absent(action);
  const { body } = await parts.invoke(action, params, as, { signal });
  return isStream(body) ? readStream(body, signal) : body;
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
