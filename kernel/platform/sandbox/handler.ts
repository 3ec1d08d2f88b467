import { type Failure, fail, isFailure } from '../../contract/failure.js';
import { networkOf } from '../../contract/network.js';
import type { Call, Operation, StreamEvent } from '../../contract/operation.js';
import type { RateLimiter } from '../../core/limits/rate-limiter.js';
import { requests_in_flight } from './limits.js';
import type { CallData, OperationAnswer, OperationRequest } from './messages.js';
import type { PluginLog } from './plugin-log.js';
import type { PluginProcess } from './process.js';
import { Streamed } from './requester.js';
import type { Spool } from './spool.js';

export interface HandlerParts {
  process: PluginProcess;
  /** The plugin's own log, where its author reads its errors. */
  log: PluginLog;
  /** The extension. */
  name: string;
  id: string;
  operation: Operation;
  /** Time limit for operations without their own, and for opening a stream. */
  call_timeout_ms: number;
  /** Folder for uploads. */
  spool: Spool;
  /** Limit for public operations. */
  limit: RateLimiter;
  /** Returns the seconds until a crashed process may be restarted. */
  retry_after: () => number | undefined;
}

/** Creates the handler of an operation that runs in a plugin's process. */
export function handlerFor({ process, log, name, id, operation, call_timeout_ms, spool, limit: publicLimiter, retry_after }: HandlerParts) {
  const { peer } = process;
  const isStream = operation.kind === 'stream';
  const ms = isStream ? call_timeout_ms : (operation.timeout_ms ?? call_timeout_ms);
  const limit = { ms, fault: () => fail('operation_timeout', `${id} took longer than ${ms / 1000} s and was aborted`) };
  const logCrash = (fault: unknown): never => {
    if (isCrash(fault)) log.error(`${id} failed`, { err: fault });
    throw fault;
  };
  return async (input: object, call: Call): Promise<unknown> => {
    if (process.gone) throw unavailable(name, retry_after());
    if (operation.who === 'public' && call.caller.door === 'http') publicLimiter.use(networkOf(call.caller.address));
    if (peer.inProgress >= requests_in_flight || peer.overfull) {
      throw fail('extension_unavailable', `Extension '${name}' is busy with ${peer.inProgress} calls`, { retry_after: 1 });
    }
    const sendRequest = (prepared: object) => {
      const request: OperationRequest = { operation: id, input: prepared, call: callData(call) };
      return peer.request('operation', request, { signal: () => call.signal, limit });
    };
    const answer = await (operation.kind === 'upload' ? spool.share(input, sendRequest) : sendRequest(input)).catch(logCrash);
    if (answer instanceof Streamed !== isStream) throw new TypeError(`${id} answered ${isStream ? 'no' : 'a'} stream`);
    const { body, status } = (answer instanceof Streamed ? answer.value : answer) as OperationAnswer;
    if (status !== undefined) choose(call, operation, status);
    return answer instanceof Streamed ? validatedEvents(answer.events, { id, logCrash }) : body;
  };
}

/** Returns whether an error is a crash and not a declared failure. */
function isCrash(fault: unknown): boolean {
  return !isFailure(fault) || fault.code === 'internal_error';
}

export function unavailable(name: string, retry_after: number | undefined): Failure {
  return fail('extension_unavailable', `Extension '${name}' is unavailable: its process has ended`, { retry_after });
}

/** Returns the data of a call for the plugin, without the id of the caller's token. */
function callData({ caller, request_id, agent, idempotency_key, verbatim }: Call): CallData {
  const encoded = verbatim && { verbatim: { headers: verbatim.headers, body: verbatim.body.toString('base64') } };
  return { caller: { ...caller, token_id: '' }, request_id, agent, idempotency_key, ...encoded };
}

function choose(call: Call, operation: Operation, status: number): void {
  const declared = status === operation.status || operation.also?.includes(status);
  if (!declared) throw new TypeError(`The handler chose the status ${status}, which its operation does not declare`);
  call.status(status);
}

/** Validates the events of a plugin's stream before they are written to a client. */
function validatedEvents(
  events: AsyncIterable<unknown>,
  { id, logCrash }: { id: string; logCrash: (fault: unknown) => never },
): AsyncIterable<StreamEvent> {
  const iterator = events[Symbol.asyncIterator]();
  const validated: AsyncIterator<StreamEvent> = {
    async next() {
      const step = await iterator.next().catch(logCrash);
      if (step.done || isStreamEvent(step.value)) return step as IteratorResult<StreamEvent>;
      await iterator.return?.();
      throw new TypeError(`${id} sent an invalid event`);
    },
    async return() {
      await iterator.return?.();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => validated };
}

function isStreamEvent(value: unknown): value is StreamEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { id, type, data } = value as Partial<Record<keyof StreamEvent, unknown>>;
  return (id === undefined || typeof id === 'string') && typeof type === 'string' && typeof data === 'object' && data !== null;
}
