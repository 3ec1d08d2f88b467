import assert from 'node:assert/strict';
import type { Lifecycle, Request, ResponseToolkit, RouteOptions, Server } from '@hapi/hapi';
import { type Failure, fail } from '../../contract/failure.js';
import type { Caller, Operation } from '../../contract/operation.js';
import type { ActiveOperation } from '../../core/catalog/catalog.js';
import { anonymous, authenticate, authenticateStream } from './auth.js';
import { asFailure } from './errors.js';
import { callHandler, type HandlerParts, outgoing, streamHandler } from './handle.js';
import type { Incoming } from './incoming.js';
import { send } from './protocols/answer.js';
import type { ServerState } from './server.js';
import { unread } from './unread.js';

declare module '@hapi/hapi' {
  interface AuthCredentials {
    caller?: Caller;
  }
  interface RouteOptionsApp {
    operation?: Operation;
  }
}

/** Serves each operation by a route, and answers for what no operation serves. */
export function addOperations(server: Server, operations: readonly ActiveOperation[], parts: HandlerParts): void {
  addAuthentication(server, parts);
  server.route({ method: '*', path: anyPath, options: { auth: false, payload: unread, handler: refusal(parts) } });
  for (const active of operations) {
    const { method, path } = active.operation;
    server.route({ method, path, options: routeOptions(active, parts) });
  }
}

const template = /^(?:\/(?:[\w.~-]+|\{\w+\}))+$/;

/** Fails, when an extension starts, on what hapi would refuse at its first request: malformed paths, two operations with one path. */
export function assertPaths(operations: readonly ActiveOperation[]): void {
  const taken = new Map<string, string>();
  for (const { id, operation } of operations) {
    const { method, path } = operation;
    assert(template.test(path), `The path of operation '${id}' is not of the form /a/{b}: ${path}`);
    const place = `${method} ${path.replace(/\{\w+\}/g, '{}')}`;
    assert(!taken.has(place), `The operations '${taken.get(place)}' and '${id}' have the same path, ${method} ${path}`);
    taken.set(place, id);
  }
}

const anyPath = '/{any*}';
const methods = ['GET', 'POST', 'PUT', 'DELETE'];

/** Refuses unknown paths and methods, in the form of the protocol that is spoken there. */
function refusal({ responder }: HandlerParts): Lifecycle.Method {
  return (request, h) => {
    const { failure, headers } = unserved(request);
    const res = outgoing(request);
    const response = (request.server.settings.app as ServerState).refuse?.(failure, request.path);
    if (response) send(responder, { res, response, headers });
    else responder.failure(res, failure, headers);
    return h.abandon;
  };
}

function unserved({ server, path, method }: Request): { failure: Failure; headers: readonly string[] } {
  const allowed = methods.filter((each) => server.match(each as 'get', path)?.path !== anyPath);
  if (allowed.length === 0) return { failure: fail('not_found', 'Nothing is served under this path'), headers: [] };
  const allow = (allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed).join(', ');
  const failure = fail('method_not_allowed', `This path takes ${allow}, not ${method.toUpperCase()}`);
  return { failure, headers: ['Allow', allow] };
}

function addAuthentication(server: Server, parts: HandlerParts): void {
  const scheme = (identify: (request: Request) => Caller | Promise<Caller>) => () => ({
    async authenticate(request: Request, h: ResponseToolkit) {
      try {
        tellRoute(request, parts);
        const caller = await identify(request);
        const req = request.raw.req as Incoming;
        req.member_id = caller.member_id;
        parts.limits.admit(caller, req.request_id, request.route.settings.app?.operation);
        return h.authenticated({ credentials: { caller } });
      } catch (thrown) {
        parts.responder.failure(outgoing(request), parts.limits.refused(request.raw.req as Incoming, asFailure(thrown)));
        return h.abandon;
      }
    },
  });
  const byHeader = scheme(({ raw }) => authenticate(raw.req as Incoming, parts.authenticator));
  const byQuery = scheme(({ raw, query }) => authenticateStream(raw.req as Incoming, query, parts.authenticator));
  server.auth.scheme('header', byHeader);
  server.auth.scheme('query', byQuery);
  server.auth.strategy('call', 'header');
  server.auth.strategy('stream', 'query');
}

/** Of what needs no token; elsewhere this is asked once it is known who it is. */
function admission(active: ActiveOperation, parts: HandlerParts): Lifecycle.Method {
  const { limits, responder } = parts;
  return (request, h) => {
    try {
      tellRoute(request, parts);
      const req = request.raw.req as Incoming;
      limits.admit(anonymous(req), req.request_id, active.operation);
      return h.continue;
    } catch (thrown) {
      responder.failure(outgoing(request), asFailure(thrown));
      return h.abandon;
    }
  };
}

function tellRoute({ method, route, raw }: Request, { routed }: Pick<HandlerParts, 'routed'>): void {
  (raw.req as Incoming).route = route.path;
  routed?.(method.toUpperCase(), route.path);
}

function routeOptions(active: ActiveOperation, parts: HandlerParts): RouteOptions {
  const { who, kind, method } = active.operation;
  return {
    app: { operation: active.operation },
    auth: who === 'public' ? false : kind === 'stream' || kind === 'file' ? 'stream' : 'call',
    handler: kind === 'stream' ? streamHandler(active, parts) : callHandler(active, parts),
    ...(method === 'GET' ? {} : { payload: unread }),
    ...(who === 'public' ? { ext: { onPreAuth: { method: admission(active, parts) } } } : {}),
  };
}
