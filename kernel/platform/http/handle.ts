import { createHash } from 'node:crypto';
import type { Lifecycle, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { Log, Outcome } from '../../contract/extension.js';
import { type Failure, fail } from '../../contract/failure.js';
import type { Caller, FileAnswer, Operation, Step, StreamEvents, Verbatim } from '../../contract/operation.js';
import type { ActiveOperation } from '../../core/catalog/catalog.js';
import { mayCall } from '../../core/invoke/authorise.js';
import type { DoorOptions } from '../../core/invoke/invoke.js';
import { attachment } from './attachment.js';
import { anonymous, type FindAuthenticator } from './auth.js';
import type { Bodies, Body } from './bodies.js';
import type { Cookies, RequestCookies } from './cookies.js';
import { asFailure } from './errors.js';
import type { StreamHub } from './hub.js';
import type { Incoming, Outgoing, Routed } from './incoming.js';
import { default_max_bytes, idempotencyKey, inputOf, isVerbatim, readCursor, receive, takesBody } from './input.js';
import type { Metrics } from './metrics.js';
import { handlingOf, nameIgnoredFields } from './preference.js';
import { ProgressResponse } from './progress-response.js';
import type { RequestLimits } from './request-limits.js';
import { policy, type Responder } from './responder.js';
import { receiveUpload, type Upload } from './upload.js';

/** Runs an operation; implemented by the kernel. */
export type Invoke = (operation: ActiveOperation, input: unknown, caller: Caller, options: DoorOptions) => Promise<Outcome>;

export interface HandlerParts {
  invoke: Invoke;
  authenticator: FindAuthenticator;
  responder: Responder;
  cookies: Cookies;
  limits: RequestLimits;
  /** Counts request bodies in memory. */
  bodies: Bodies;
  /** Counts uploads on disk. */
  uploaded: Bodies;
  /** Counts files that are being sent. */
  sent: Bodies;
  hub: StreamHub;
  metrics: Metrics;
  log: Log;
  routed?: Routed | undefined;
  /** Folder of pending uploads. */
  uploads: string;
}

interface ServedRequest {
  active: ActiveOperation;
  parts: HandlerParts;
  progress?: ProgressResponse | undefined;
  cookies?: RequestCookies | undefined;
}

/** Returns the response of a hapi request. */
export function outgoing({ raw }: Request): Outgoing {
  return raw.res as Outgoing;
}

/** Rejects callers without permission before their body is read, and reads the body of others; returns false after a rejection. hapi would read the body first. */
export function enter(active: ActiveOperation, parts: HandlerParts, request: Request, caller: Caller): boolean | Promise<boolean> {
  const { operation } = active;
  // Requests without a body cost no promise.
  if (operation.method !== 'GET' || !mayCall(operation, caller)) return enterWithBody(active, parts, request, caller);
  if (operation.kind === 'stream') readCursor(request);
  return true;
}

async function enterWithBody(active: ActiveOperation, parts: HandlerParts, request: Request, caller: Caller): Promise<boolean> {
  const started = performance.now();
  try {
    // Invoking records the refusal in the audit trail.
    const { request_id } = request.raw.req as Incoming;
    if (!mayCall(active.operation, caller)) await parts.invoke(active, request.params, caller, { request_id });
    count(request, parts.bodies.begin(caller));
    await receive(active.operation, request);
    return true;
  } catch (thrown) {
    fault({ active, parts, started }, request, thrown);
    return false;
  }
}

/** Counts the body in memory until the request has ended, or its stream has started. */
function count(request: Request, body: Body): void {
  const leave = () => body.leave();
  (request.raw.req as Incoming).body = body;
  outgoing(request).once('close', leave).once('taken', leave);
}

/** Counts a file until its receiver has it, because a slow one keeps it in memory. Fails as {@link Body.keep}. */
function countSent(request: Request, { sent }: HandlerParts, { bytes }: FileAnswer): void {
  const body = sent.begin(callerOf(request));
  outgoing(request).once('close', () => body.leave());
  body.keep(bytes.length);
}

/** Handles a call or an upload. */
export function callHandler(active: ActiveOperation, parts: HandlerParts): Lifecycle.Method {
  const { operation } = active;
  return async (request, h) => {
    const started = performance.now();
    const progress = progressResponseFor(operation, request, parts.responder);
    const body = operation.kind === 'upload' ? parts.uploaded.begin(callerOf(request)) : undefined;
    let upload: Upload | undefined;
    try {
      if (body) upload = await uploadOf(operation, request, { folder: parts.uploads, body });
      const cookies = parts.cookies.of(operation, request);
      const options = {
        ...optionsOf(operation, request),
        cookies,
        verbatim: verbatimOf(operation, request),
        valid: validOf(operation, request),
      };
      const invokeOptions = progress ? { ...options, progress: (step: Step) => progress.step(step) } : options;
      const outcome = await parts.invoke(active, rawInputOf(operation, request, upload), callerOf(request), invokeOptions);
      if (operation.kind === 'file') countSent(request, parts, outcome.body as FileAnswer);
      parts.metrics.record(active.id, outcome.status, performance.now() - started);
      return answer({ active, parts, progress, cookies }, request, h, outcome);
    } catch (thrown) {
      fault({ active, parts, progress, started }, request, thrown);
      return h.abandon;
    } finally {
      body?.leave();
      await upload?.remove();
    }
  };
}

/** Returns the input as it was sent. */
function rawInputOf(operation: Operation, { orig, params, query, payload }: Request, upload?: Upload): object {
  const places = { params: orig.params ?? params, query: orig.query ?? query, payload: upload?.input ?? orig.payload ?? payload };
  return inputOf(operation, places);
}

/** Returns the input validated by hapi; undefined if the route has no schemas or hapi found a fault: then invoke reports all of them. */
function validOf(operation: Operation, request: Request): object | undefined {
  return request.route.settings.app?.validates && !request.app.isFaulty ? inputOf(operation, request) : undefined;
}

/** Returns the raw body and headers of a verbatim operation, without the caller's credentials. */
function verbatimOf(operation: Operation, { headers, payload }: Request): Verbatim | undefined {
  if (!isVerbatim(operation)) return undefined;
  const visible = Object.entries(headers).filter(([name, value]) => !hidden.includes(name) && value !== undefined);
  return {
    headers: Object.fromEntries(visible.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value as string)])),
    body: payload as Buffer,
  };
}

const hidden: readonly string[] = ['authorization', 'cookie'];

async function uploadOf({ raw, max_bytes }: Operation, { raw: { req } }: Request, to: { folder: string; body: Body }): Promise<Upload> {
  return receiveUpload(req, { raw, max_bytes: max_bytes ?? default_max_bytes, ...to });
}

function progressResponseFor({ progress = false }: Operation, request: Request, responder: Responder): ProgressResponse | undefined {
  const wanted = progress && /\btext\/event-stream\b/i.test(String(request.headers.accept ?? ''));
  return wanted ? new ProgressResponse(outgoing(request), responder) : undefined;
}

/** Handles a stream: after its handler has returned, the hub owns it, and hapi is detached. */
export function streamHandler(active: ActiveOperation, parts: HandlerParts): Lifecycle.Method {
  const { operation } = active;
  return async (request, h) => {
    const started = performance.now();
    try {
      if (request.method === 'head') throw fail('method_not_allowed', 'A stream does not support HEAD');
      const caller = callerOf(request);
      const stream = parts.hub.admit({ res: outgoing(request), caller, extension: active.extension });
      const options = { ...optionsOf(operation, request), signal: stream.signal, valid: validOf(operation, request) };
      const outcome = await stream.opening(parts.invoke(active, rawInputOf(operation, request), caller, options));
      parts.metrics.record(active.id, 200, performance.now() - started);
      stream.start(outcome.body as StreamEvents);
      return h.abandon;
    } catch (thrown) {
      fault({ active, parts, started }, request, thrown);
      return h.abandon;
    }
  };
}

/** Returns whether responses have an ETag. Caches must revalidate each time, because the response depends on the caller. */
export function answersTagged({ etag, kind }: Operation): boolean {
  return etag === true || kind === 'file';
}

function answer(
  { active, parts: { responder }, progress, cookies }: ServedRequest,
  request: Request,
  h: ResponseToolkit,
  outcome: Outcome,
) {
  const res = outgoing(request);
  if (!progress?.begun) cookies?.writeTo(res);
  const response = progress?.begun ? undefined : responseOf(active.operation, h, outcome);
  if (response) {
    responder.prepare(res);
    return response;
  }
  if (progress?.begun) progress.answer(outcome);
  else responder.json(res, outcome);
  return h.abandon;
}

/** Returns the response that hapi writes; undefined for plain JSON. */
function responseOf({ kind, etag }: Operation, h: ResponseToolkit, { status, body }: Outcome): ResponseObject | undefined {
  if (status === 204) return h.response().code(204);
  if (kind === 'file') return fileOf(h, body as FileAnswer);
  return etag && status === 200 ? taggedOf(h, body) : undefined;
}

/** Returns JSON with an ETag computed from its bytes. */
function taggedOf(h: ResponseToolkit, body: unknown): ResponseObject {
  const text = JSON.stringify(body) ?? 'null';
  return h.response(text).type('application/json').etag(createHash('sha256').update(text).digest('base64url').slice(0, 27));
}

/** Returns a file. The `sandbox` policy denies it everything that a page may do. */
function fileOf(h: ResponseToolkit, { mime_type, bytes, etag, save_as }: FileAnswer): ResponseObject {
  const response = h.response(bytes).type(mime_type).header('content-security-policy', `${policy}, sandbox`);
  response.charset('');
  if (save_as !== undefined) response.header('content-disposition', attachment(save_as));
  return etag === undefined ? response.header('cache-control', 'no-store') : response.etag(etag);
}

function fault({ active, parts, progress, started }: ServedRequest & { started: number }, request: Request, thrown: unknown): void {
  const failure = asFailure(thrown);
  parts.metrics.record(active.id, failure.status, performance.now() - started);
  report({ active, parts }, request, failure);
  if (progress?.begun) progress.failure(failure);
  else parts.responder.failure(outgoing(request), failure);
}

/** Logs errors of the platform with their cause. Errors of callers are not logged; `doctor` reports a low disk. */
function report({ active: { id }, parts: { log } }: ServedRequest, request: Request, failure: Failure): void {
  if (failure.status < 500 || failure.code === 'disk_low') return;
  const fields = { request_id: (request.raw.req as Incoming).request_id, operation: id, code: failure.code, fault: failure.cause };
  if (failure.code === 'internal_error') log.error(`${id} failed`, fields);
  else log.warn(`${id}: ${failure.message}`, fields);
}

function callerOf(request: Request): Caller {
  return request.auth.credentials?.caller ?? anonymous(request.raw.req as Incoming);
}

function optionsOf(operation: Operation, request: Request): DoorOptions {
  const req = request.raw.req as Incoming;
  const agent = req.headers['user-agent']?.slice(0, 200) ?? '';
  const options = { request_id: req.request_id, idempotency_key: idempotencyKey(req), agent };
  if (!takesBody(operation) || isVerbatim(operation)) return { ...options, handling: 'lenient' };
  const res = outgoing(request);
  return { ...options, handling: handlingOf(req, res), ignored: (names) => nameIgnoredFields(res, names) };
}
