import type { Lifecycle, Request } from '@hapi/hapi';
import type { InvokeOptions, Log, Outcome } from '../../contract/extension.js';
import { type Failure, fail } from '../../contract/failure.js';
import type { Caller, FileAnswer, Operation, Step, StreamEvents } from '../../contract/operation.js';
import type { ActiveOperation } from '../../core/catalog/catalog.js';
import { mayCall } from '../../core/invoke/authorise.js';
import { anonymous, type FindAuthenticator } from './auth.js';
import type { Bodies, Body } from './bodies.js';
import { cookieOf, type RequestCookie } from './cookie.js';
import { asFailure } from './errors.js';
import type { StreamHub } from './hub.js';
import { nameIgnoredFields } from './ignored-fields.js';
import type { Incoming, Outgoing, Routed } from './incoming.js';
import { default_max_bytes, idempotencyKey, readBody, readDeletion, readQuery, readVerbatim, takesBody } from './input.js';
import type { Metrics } from './metrics.js';
import { handlingOf } from './preference.js';
import type { RequestLimits } from './request-limits.js';
import type { Responder } from './responder.js';
import { ToldAnswer } from './told-answer.js';
import { receiveUpload, type Upload } from './upload.js';

/** Runs an operation: the kernel's invoke. */
export type Invoke = (operation: ActiveOperation, input: unknown, caller: Caller, options: InvokeOptions) => Promise<Outcome>;

export interface HandlerParts {
  invoke: Invoke;
  authenticator: FindAuthenticator;
  responder: Responder;
  limits: RequestLimits;
  /** What is in memory of the bodies of requests. */
  bodies: Bodies;
  /** What is of them in the folder of uploads. */
  uploaded: Bodies;
  hub: StreamHub;
  metrics: Metrics;
  log: Log;
  routed?: Routed | undefined;
  /** The folder in which uploads wait for their handler. */
  uploads: string;
}

interface Served {
  active: ActiveOperation;
  parts: HandlerParts;
  told?: ToldAnswer | undefined;
  cookie?: RequestCookie | undefined;
}

/** The answer to a request of a cell. */
export function outgoing({ raw }: Request): Outgoing {
  return raw.res as Outgoing;
}

/** Handles a call or an upload. */
export function callHandler(active: ActiveOperation, parts: HandlerParts): Lifecycle.Method {
  const read = readerOf(active.operation);
  return async (request, h) => {
    const started = performance.now();
    const told = toldTo(active.operation, request, parts.responder);
    let upload: Upload | undefined;
    const body = active.operation.kind === 'upload' ? parts.uploaded.begin(callerOf(request)) : counted(request, parts);
    try {
      // Of whoever may not call it no file is taken.
      const isTaken = active.operation.kind !== 'upload' || mayCall(active.operation, callerOf(request));
      if (isTaken && body) upload = await uploadOf(active.operation, request, { folder: parts.uploads, body });
      const verbatim = isVerbatim(active.operation) ? await readVerbatim(active.operation, request) : undefined;
      const input = verbatim ? readQuery(active.operation, request) : isTaken ? await read(active.operation, request, upload?.input) : {};
      const cookie = cookieOf(active.operation, request);
      const known = { ...optionsOf(active.operation, request, undefined), cookie };
      const options = told ? { ...known, progress: (step: Step) => told.step(step) } : known;
      const outcome = await parts.invoke(active, input, callerOf(request), verbatim ? { ...options, verbatim } : options);
      parts.metrics.record(active.id, outcome.status, performance.now() - started);
      answer({ active, parts, told, cookie }, request, outcome);
      return h.abandon;
    } catch (thrown) {
      fault({ active, parts, told, started }, request, thrown);
      return h.abandon;
    } finally {
      body?.leave();
      await upload?.remove();
    }
  };
}

/** Has the body counted that is read into memory. */
function counted(request: Request, { bodies }: HandlerParts): Body | undefined {
  if (request.method === 'get' || request.method === 'head') return undefined;
  const body = bodies.begin(callerOf(request));
  (request.raw.req as Incoming).body = body;
  return body;
}

/** The body of an upload; undefined for any other operation. */
async function uploadOf(
  { kind, raw, max_bytes }: Operation,
  { raw: { req } }: Request,
  to: { folder: string; body: Body },
): Promise<Upload | undefined> {
  if (kind !== 'upload') return undefined;
  return receiveUpload(req, { raw, max_bytes: max_bytes ?? default_max_bytes, ...to });
}

function toldTo({ progress = false }: Operation, request: Request, responder: Responder): ToldAnswer | undefined {
  const wanted = progress && /\btext\/event-stream\b/i.test(String(request.headers.accept ?? ''));
  return wanted ? new ToldAnswer(outgoing(request), responder) : undefined;
}

function isVerbatim(operation: Operation): boolean {
  return operation.verbatim === true && takesBody(operation) && operation.kind !== 'upload';
}

function readerOf(operation: Operation) {
  if (takesBody(operation)) return readBody;
  return operation.method === 'DELETE' ? readDeletion : readQuery;
}

/** Handles a stream: once its handler has answered, the hub has it, and hapi nothing more to do with it. */
export function streamHandler(active: ActiveOperation, parts: HandlerParts): Lifecycle.Method {
  const read = readerOf(active.operation);
  return async (request, h) => {
    const started = performance.now();
    const body = counted(request, parts);
    try {
      if (request.method === 'head') throw fail('method_not_allowed', 'A stream has no HEAD');
      const caller = callerOf(request);
      const input = await read(active.operation, request);
      const stream = parts.hub.admit({ res: outgoing(request), caller, extension: active.extension });
      const outcome = await stream.opening(parts.invoke(active, input, caller, optionsOf(active.operation, request, stream.signal)));
      parts.metrics.record(active.id, 200, performance.now() - started);
      stream.start(outcome.body as StreamEvents);
      return h.abandon;
    } catch (thrown) {
      fault({ active, parts, started }, request, thrown);
      return h.abandon;
    } finally {
      body?.leave();
    }
  };
}

function answer({ active, parts: { responder }, told, cookie }: Served, request: Request, { status, body }: Outcome): void {
  const res = outgoing(request);
  if (told?.begun) told.answer({ status, body });
  else if (status === 204) responder.nothing(res);
  else if (active.operation.kind === 'file') responder.file(res, body as FileAnswer);
  else if (active.operation.etag && status === 200) responder.tagged(res, body);
  else responder.json(res, { status, body, headers: cookie?.value === undefined ? [] : responder.cookie(cookie.declared, cookie.value) });
}

function fault({ active, parts, told, started }: Served & { started: number }, request: Request, thrown: unknown): void {
  const failure = asFailure(thrown);
  parts.metrics.record(active.id, failure.status, performance.now() - started);
  report({ active, parts }, request, failure);
  if (told?.begun) told.failure(failure);
  else parts.responder.failure(outgoing(request), failure);
}

/** Logs faults of the platform itself with their cause. A caller's faults are not logged; `doctor` reports a disk that is low. */
function report({ active: { id }, parts: { log } }: Served, request: Request, failure: Failure): void {
  if (failure.status < 500 || failure.code === 'disk_low') return;
  const fields = { request_id: (request.raw.req as Incoming).request_id, operation: id, code: failure.code, fault: failure.cause };
  if (failure.code === 'internal_error') log.error(`${id} failed`, fields);
  else log.warn(`${id}: ${failure.message}`, fields);
}

function callerOf(request: Request): Caller {
  return request.auth.credentials?.caller ?? anonymous(request.raw.req as Incoming);
}

function optionsOf(operation: Operation, request: Request, signal: AbortSignal | undefined): InvokeOptions {
  const req = request.raw.req as Incoming;
  const agent = req.headers['user-agent']?.slice(0, 200) ?? '';
  const options = { request_id: req.request_id, idempotency_key: idempotencyKey(req), agent, signal };
  if (!takesBody(operation) || isVerbatim(operation)) return { ...options, handling: 'lenient' };
  const res = outgoing(request);
  return { ...options, handling: handlingOf(req, res), ignored: (names) => nameIgnoredFields(res, names) };
}
