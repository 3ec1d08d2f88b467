import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { Lifecycle, Request, ResponseToolkit, RouteOptions, Server } from '@hapi/hapi';
import type { Caller } from '../../contract/operation.js';
import type { ActiveOperation } from '../../core/catalog/catalog.js';
import type { CellContent } from '../../core/catalog/cell.js';
import { routeClashes } from '../../core/host/route-clashes.js';
import { anonymous, authenticate, authenticateStream } from './auth.js';
import { asFailure } from './errors.js';
import { addFallbackRoute } from './fallback.js';
import { answersTagged, callHandler, enter, type HandlerParts, outgoing, streamHandler } from './handle.js';
import type { Incoming } from './incoming.js';
import { isTied, placesOf } from './input.js';
import { rawBodyOptions } from './raw-body.js';

declare module '@hapi/hapi' {
  interface AuthCredentials {
    caller?: Caller;
  }
  interface RouteOptionsApp {
    active?: ActiveOperation;
    /** Whether the route has schemas for the whole input. */
    validates?: boolean;
  }
  interface RequestApplicationState {
    /** Whether hapi has found a fault in the input. */
    isFaulty?: boolean;
  }
}

/** Number of routes made without a pause. hapi takes up to two milliseconds for one, and other requests wait meanwhile. */
const row = 4;

/** Adds a route for each operation, and a fallback for other paths. Pauses now and then so that other requests are served. */
export async function addOperations(server: Server, operations: readonly ActiveOperation[], parts: HandlerParts): Promise<void> {
  addAuthentication(server, parts);
  addFallbackRoute(server, parts.responder);
  for (const [at, active] of operations.entries()) {
    if (at > 0 && at % row === 0) await setImmediate();
    const { method, path } = active.operation;
    server.route({ method, path, options: routeOptions(active, parts) });
  }
}

const template = /^(?:\/(?:[\w.~-]+|\{\w+\}))+$/;

/** Fails on paths that hapi would reject at the first request: malformed ones, and duplicates. Called when an extension starts. */
export function assertPaths({ operations, doors = [] }: Pick<CellContent, 'operations' | 'doors'>): void {
  const routes = [
    ...operations.map(({ id, operation: { method, path } }) => ({ id, method, path })),
    ...doors.flatMap(({ door: { path, methods } }) => methods.map((method) => ({ id: path, method, path }))),
  ];
  for (const { id, path } of routes) assert(template.test(path), `The path of '${id}' must have the form /a/{b}: ${path}`);
  const [clash] = routeClashes(routes);
  if (clash === undefined) return;
  const { earlier, later } = clash;
  assert.fail(`'${earlier.id}' and '${later.id}' have the same path, ${later.method} ${later.path}`);
}

function addAuthentication(server: Server, parts: HandlerParts): void {
  const scheme = (identify: Identify) => () => ({
    async authenticate(request: Request, h: ResponseToolkit) {
      const caller = await admit(request, parts, identify);
      return caller ? h.authenticated({ credentials: { caller } }) : h.abandon;
    },
  });
  server.auth.scheme(
    'header',
    scheme((request) => {
      const { operation } = (request.route.settings.app as { active: ActiveOperation }).active;
      const cookie = operation.cookies && (() => parts.cookies.identifying(operation, request));
      return authenticate(request.raw.req as Incoming, parts.authenticator, cookie);
    }),
  );
  server.auth.scheme(
    'query',
    scheme(({ raw, query }) => authenticateStream(raw.req as Incoming, query, parts.authenticator)),
  );
  server.auth.strategy('call', 'header');
  server.auth.strategy('stream', 'query');
}

type Identify = (request: Request) => Caller | Promise<Caller>;

/** Identifies and admits the caller; returns undefined after a refusal. */
async function admit(request: Request, parts: HandlerParts, identify: Identify): Promise<Caller | undefined> {
  const req = request.raw.req as Incoming;
  const { active } = request.route.settings.app as { active: ActiveOperation };
  reportRoute(request, parts);
  let caller: Caller;
  try {
    caller = await identify(request);
    req.member_id = caller.member_id;
    parts.limits.admit(caller, req.request_id, active.operation);
  } catch (thrown) {
    parts.responder.failure(outgoing(request), parts.limits.refused(req, asFailure(thrown)));
    return undefined;
  }
  const entered = enter(active, parts, request, caller);
  return (typeof entered === 'boolean' ? entered : await entered) ? caller : undefined;
}

function reportRoute({ method, route, raw }: Request, { routed }: Pick<HandlerParts, 'routed'>): void {
  (raw.req as Incoming).route = route.path;
  routed?.(method.toUpperCase(), route.path);
}

function routeOptions(active: ActiveOperation, parts: HandlerParts): RouteOptions {
  const { who, kind, method, summary } = active.operation;
  const places = validates(active) ? placesOf(active) : undefined;
  const validate = { ...places, options: { stripUnknown: true, convert: true }, failAction };
  const admitAnonymous: Lifecycle.Method = async (request, h) => {
    const caller = await admit(request, parts, ({ raw }) => anonymous(raw.req as Incoming));
    return caller ? h.continue : h.abandon;
  };
  return {
    id: active.id,
    description: summary,
    tags: ['api', active.extension],
    app: { active, validates: places !== undefined },
    auth: who === 'public' ? false : kind === 'stream' || kind === 'file' ? 'stream' : 'call',
    handler: kind === 'stream' ? streamHandler(active, parts) : callHandler(active, parts),
    ...(places ? { validate } : {}),
    ...(answersTagged(active.operation) ? { cache: { otherwise: 'private, no-cache' } } : {}),
    // The body has been read before hapi would parse it.
    ...(method === 'GET' ? {} : { payload: places?.payload ? { ...rawBodyOptions, parse: true } : rawBodyOptions }),
    ...(who === 'public' ? { ext: { onPreAuth: { method: admitAnonymous } } } : {}),
  };
}

/**
 * Returns whether hapi validates the input. Otherwise invoke does: a plugin's schema runs only in its sandbox, the fields of an upload
 * arrive with its file, and hapi has no rules across several places.
 */
export function validates(active: ActiveOperation): boolean {
  return !active.read && active.operation.kind !== 'upload' && !isTied(active);
}

/** Leaves the response to invoke, which reports all faults of path, query and body. */
const failAction: Lifecycle.Method = (request, h) => {
  request.app.isFaulty = true;
  return h.continue;
};
