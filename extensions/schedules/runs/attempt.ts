import { type Caller, type Failure, isFailure, type Outcome, untilAborted } from '../../../kernel/contract/index.js';
import type { AttemptEnd } from '../store/runs-sql.js';
import { type CreatedRecords, createdRecords, cut } from './result.js';
import { isStream, readStream } from './stream.js';

/** Dependencies of an attempt. */
export interface AttemptInput {
  run_id: number;
  action: string;
  params: object;
  timeout_s: number;
  /** Returns the caller for the run; rejects if the member may not run it. */
  caller: Promise<Caller>;
}

export interface AttemptParts {
  now: () => number;
  invoke: (operation: string, input: object, caller: Caller, options: { signal: AbortSignal }) => Promise<Outcome>;
  /** Whether schedules may currently run this operation. */
  schedulable: (operation: string) => boolean;
}

export type Attempt = Omit<AttemptEnd, 'ready_at' | 'schedule_id'>;

/** Limit of the column; a clock may be set forward by years in between. */
const max_duration_ms = 2_147_483_647;

/**
 * Performs an attempt. Never rejects; undefined if `signal` aborted because the run's row has already ended. Does not
 * wait for an operation that was stopped or timed out.
 */
export async function attempt(input: AttemptInput, parts: AttemptParts, signal: AbortSignal): Promise<Attempt | undefined> {
  const started = parts.now();
  const outcome = await outcomeOf(input, parts, signal);
  if (signal.aborted && signal.reason !== 'interrupted') return undefined;
  const finished_at = parts.now();
  return { id: input.run_id, finished_at, duration_ms: Math.min(Math.max(0, finished_at - started), max_duration_ms), ...outcome };
}

async function outcomeOf(
  order: AttemptInput,
  parts: AttemptParts,
  signal: AbortSignal,
): Promise<CreatedRecords & Pick<Attempt, 'status' | 'error_code'>> {
  const { timeout_s } = order;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeout_s * 1_000);
  const combined = AbortSignal.any([signal, timeout.signal]);
  try {
    const body = await untilAborted(invoke(order, parts, combined), combined);
    return { status: 'success', error_code: null, ...createdRecords(body) };
  } catch (fault) {
    if (signal.aborted) return failed('interrupted', 'The run was interrupted: the platform or its schedules extension stopped');
    if (!timeout.signal.aborted) return failureOf(fault, order);
    return { ...failed('timeout', `The run exceeded its timeout of ${timeout_s} s`), status: 'timeout' };
  } finally {
    clearTimeout(timer);
  }
}

async function invoke({ action, params, caller }: AttemptInput, parts: AttemptParts, signal: AbortSignal): Promise<unknown> {
  const resolvedCaller = await caller;
  signal.throwIfAborted();
  if (!parts.schedulable(action)) throw actionNotFound(action);
  const { body } = await parts.invoke(action, params, resolvedCaller, { signal });
  return isStream(body) ? readStream(body, signal) : body;
}

function failed(error_code: string, result: string) {
  return { status: 'failed', error_code, result, session_id: null, task_id: null } as const;
}

function failureOf(fault: unknown, { params }: Pick<AttemptInput, 'params'>) {
  if (isFailure(fault)) return failed(isSessionGone(fault, params) ? 'room_gone' : fault.code, cut(fault.message));
  return failed('internal_error', "The run failed; see the server's log for the reason");
}

/** Returns whether the session that a run is about is gone, or its creator has left it. Further runs would fail for the same reason. */
function isSessionGone({ code }: Pick<Failure, 'code'>, params: object): boolean {
  return code === 'session_not_found' && 'session_id' in params;
}

function actionNotFound(action: string): Error {
  const failure = new Error(`There is no operation '${action}' that schedules may run: its extension was removed or is inactive`);
  return Object.assign(failure, { isFailure: true, code: 'action_not_found' });
}
