import { createHash } from 'node:crypto';
import type { Lifecycle, Request, ResponseObject, ResponseToolkit, RouteOptions, Server } from '@hapi/hapi';
import type { Clock, InvokeOptions, Log, Outcome } from '../contract/extension.js';
import { type Failure, fail, isFailure } from '../contract/failure.js';
import type { Caller, Operation, StreamEvent } from '../contract/operation.js';
import type { ActiveOperation } from '../host/catalog.js';
import { anonymous, authenticate, authenticateStream, type FindAuthenticator } from './auth.js';
import { asFailure, errorBody, errorHeaders } from './errors.js';
import type { StreamHub } from './hub.js';
import type { Incoming } from './incoming.js';
import { idempotencyKey, readInput } from './input.js';
import type { Metrics } from './metrics.js';
import { removeUpload } from './upload.js';

/** Runs an operation: the kernel's invoke. */
export type Invoke = (operation: ActiveOperation, input: unknown, caller: Caller, options: InvokeOptions) => Promise<Outcome>;

export interface RouteParts {
  invoke: Invoke;
  authenticator: FindAuthenticator;
  hub: StreamHub;
  metrics: Metrics;
  log: Log;
  clock: Clock;
  /** The folder in which uploads wait for their handler. */
  uploads: string;
}

type Route = { operation: ActiveOperation; parts: RouteParts };

declare module '@hapi/hapi' {
  interface AuthCredentials {
    caller?: Caller;
  }
}

/** Adds a route for each operation, and answers for what none of them serves. */
export function addRoutes(server: Server, operations: readonly ActiveOperation[], parts: RouteParts): void {
  addAuthentication(server, parts);
  const methods = new Map<string, string[]>();
  for (const operation of operations) {
    const { method, path } = operation.operation;
    server.route({ method, path, options: routeOptions({ operation, parts }) });
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  for (const [path, allowed] of methods) addMethodRefusal(server, path, allowed);
  server.route({
    method: '*',
    path: '/{any*}',
    options: { auth: false, payload: unread, handler: refuse(() => fail('not_found', 'Nothing is served under this path')) },
  });
}

/** The body stays on the request: it is read by whoever wants it, with limits that end. */
const unread = { output: 'stream', parse: false, maxBytes: Number.MAX_SAFE_INTEGER, timeout: false, failAction: refusePayload } as const;

function addAuthentication(server: Server, { authenticator }: RouteParts): void {
  const scheme = (identify: (request: Request) => Caller | Promise<Caller>) => () => ({
    async authenticate(request: Request, h: ResponseToolkit) {
      try {
        return h.authenticated({ credentials: { caller: await identify(request) } });
      } catch (thrown) {
        return failed(request, h, asFailure(thrown)).takeover();
      }
    },
  });
  server.auth.scheme(
    'header',
    scheme((request) => authenticate(request.raw.req as Incoming, authenticator)),
  );
  server.auth.scheme(
    'query',
    scheme((request) => authenticateStream(request.raw.req as Incoming, request.query, authenticator)),
  );
  server.auth.strategy('call', 'header');
  server.auth.strategy('stream', 'query');
}

function routeOptions(route: Route): RouteOptions {
  const { who, kind } = route.operation.operation;
  return {
    auth: who === 'public' ? false : { strategy: kind === 'stream' ? 'stream' : 'call' },
    handler: kind === 'stream' ? streamHandler(route) : callHandler(route),
    ...payloadOptions(route.operation.operation, route.parts.uploads),
  };
}

function payloadOptions(operation: Operation, uploads: string): Pick<RouteOptions, 'payload'> {
  if (operation.method === 'GET') return {};
  if (operation.kind !== 'upload') return { payload: unread };
  return {
    payload: {
      allow: 'multipart/form-data',
      multipart: { output: 'file' },
      output: 'file',
      parse: true,
      maxBytes: operation.max_bytes ?? 1024 * 1024,
      maxParts: 50,
      timeout: 280_000,
      uploads,
      failAction: refusePayload,
    } as RouteOptions['payload'],
  };
}

function callHandler({ operation, parts }: Route): Lifecycle.Method {
  return async (request, h) => {
    const started = performance.now();
    try {
      const input = await readInput(operation.operation, request);
      const outcome = await parts.invoke(operation, input, callerOf(request), invokeOptions(request, undefined));
      parts.metrics.of(operation.id).record(outcome.status, performance.now() - started);
      return answer(h, outcome);
    } catch (thrown) {
      const failure = asFailure(thrown);
      parts.metrics.of(operation.id).record(failure.status, performance.now() - started);
      report({ operation, parts }, failure, request);
      return failed(request, h, failure);
    } finally {
      if (operation.operation.kind === 'upload') await removeUpload(request.payload);
    }
  };
}

function streamHandler({ operation, parts }: Route): Lifecycle.Method {
  return async (request, h) => {
    const started = performance.now();
    const { req, res } = request.raw;
    const caller = callerOf(request);
    const { extension } = operation;
    try {
      if (request.method === 'head') throw fail('method_not_allowed', 'A stream has no HEAD');
      const input = await readInput(operation.operation, request);
      const stream = parts.hub.admit({ req: req as Incoming, res, caller, extension });
      const events = await stream.opening(parts.invoke(operation, input, caller, invokeOptions(request, stream.signal)));
      parts.metrics.of(operation.id).record(200, performance.now() - started);
      stream.start(events.body as AsyncIterable<StreamEvent>);
      return h.abandon;
    } catch (thrown) {
      const failure = asFailure(thrown);
      parts.metrics.of(operation.id).record(failure.status, performance.now() - started);
      report({ operation, parts }, failure, request);
      return failed(request, h, failure);
    }
  };
}

function callerOf(request: Request): Caller {
  return request.auth.credentials?.caller ?? anonymous(request.raw.req as Incoming);
}

function invokeOptions(request: Request, signal: AbortSignal | undefined): InvokeOptions {
  const req = request.raw.req as Incoming;
  const agent = (req.headers['user-agent'] ?? '').slice(0, 200);
  return { request_id: req.request_id, idempotency_key: idempotencyKey(req), agent, signal };
}

function answer(h: ResponseToolkit, outcome: Outcome): ResponseObject {
  if (outcome.status === 204) return h.response().code(204);
  return h
    .response(JSON.stringify(outcome.body) ?? 'null')
    .code(outcome.status)
    .type('application/json');
}

/** With an entity tag made from the answer's bytes; hapi answers 304 where the client has them already. */
function taggedAnswer(h: ResponseToolkit, outcome: Outcome): ResponseObject {
  const response = answer(h, outcome);
  const tag = createHash('sha256')
    .update(response.source as string)
    .digest('base64url')
    .slice(0, 27);
  // Caches ask again each time: the answer depends on who asks.
  return response.etag(tag).header('cache-control', 'private, no-cache');
}

function failed(request: Request, h: ResponseToolkit, failure: Failure): ResponseObject {
  const { request_id } = request.raw.req as Incoming;
  const response = h
    .response(JSON.stringify(errorBody(failure, request_id)))
    .code(failure.status)
    .type('application/json');
  for (const [name, value] of Object.entries(errorHeaders(failure))) response.header(name, value);
  return response;
}

/** Faults of the platform itself go to the log with their cause; a caller's are the caller's. */
function report({ operation, parts }: Route, failure: Failure, request: Request): void {
  if (failure.status < 500) return;
  const fields = {
    request_id: (request.raw.req as Incoming).request_id,
    operation: operation.id,
    code: failure.code,
    fault: failure.cause,
  };
  if (failure.code === 'internal_error') parts.log.error(`${operation.id} failed`, fields);
  else parts.log.warn(`${operation.id}: ${failure.message}`, fields);
}

function addMethodRefusal(server: Server, path: string, allowed: readonly string[]): void {
  const allow = (allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed).join(', ');
  const handler: Lifecycle.Method = (request, h) =>
    failed(request, h, fail('method_not_allowed', `This path takes ${allow}, not ${request.method.toUpperCase()}`)).header('allow', allow);
  server.route({ method: '*', path, options: { auth: false, payload: unread, handler } });
}

function refuse(failure: () => Failure): Lifecycle.Method {
  return (request, h) => failed(request, h, failure());
}

/** What hapi found wrong with a body: its type, its size, its form. */
function refusePayload(request: Request, h: ResponseToolkit, fault?: Error): ResponseObject {
  return failed(request, h, payloadFailure(fault)).takeover();
}

function payloadFailure(fault: (Error & { output?: { statusCode: number } }) | undefined): Failure {
  if (isFailure(fault)) return fault;
  switch (fault?.output?.statusCode) {
    case 408:
      return fail('request_timeout', 'The body did not arrive in time', { cause: fault });
    case 413:
      return fail('payload_too_large', 'The body is larger than is allowed here', { cause: fault });
    case 415:
      return fail('unsupported_media_type', 'The body must be multipart/form-data', { cause: fault });
    default:
      return fail('malformed_request', 'The body is not what its headers say', { cause: fault });
  }
}
