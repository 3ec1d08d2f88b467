import type { Lifecycle, Request, ResponseToolkit, RouteOptions, RouteOptionsPayload, Server } from '@hapi/hapi';
import { type Failure, fail } from '../contract/failure.js';
import type { Caller, Operation } from '../contract/operation.js';
import { asDiskFull } from '../disk-full.js';
import type { ActiveOperation } from '../host/catalog.js';
import { anonymous, authenticate, authenticateStream } from './auth.js';
import { asFailure } from './errors.js';
import { callHandler, type HandlerParts, outgoing, streamHandler } from './handle.js';
import type { Incoming } from './incoming.js';
import { default_max_bytes, takesBody } from './input.js';
import { pace } from './pace.js';
import { RouteTable } from './route-table.js';
import { unread } from './unread.js';

declare module '@hapi/hapi' {
  interface AuthCredentials {
    caller?: Caller;
  }
  interface RouteOptionsApp {
    operation?: Operation;
  }
}

/** What a cell has before it gets its operations: who calls, and an answer for what no operation serves. */
export function addGround(server: Server, parts: GroundParts): void {
  addAuthentication(server, parts);
  server.route({ method: '*', path: anyPath, options: { auth: false, payload: unread, handler: refusal(parts) } });
}

/** Serves each operation by a route. */
export function routesOf(operations: readonly ActiveOperation[], parts: HandlerParts): RouteTable {
  return new RouteTable(operations, (active, server) => {
    const { method, path } = active.operation;
    server.route({ method, path, options: routeOptions(active, parts) });
  });
}

type GroundParts = Pick<HandlerParts, 'authenticator' | 'limits' | 'responder'>;

const anyPath = '/{any*}';
const methods = ['GET', 'POST', 'PUT', 'DELETE'];

/** Answers the methods that a path doesn't have, and the paths that there aren't. */
function refusal({ responder }: GroundParts): Lifecycle.Method {
  return (request, h) => {
    const allowed = methods.filter((method) => request.server.match(method as 'get', request.path)?.path !== anyPath);
    if (allowed.length === 0) {
      responder.failure(outgoing(request), fail('not_found', 'Nothing is served under this path'));
      return h.abandon;
    }
    const allow = (allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed).join(', ');
    const failure = fail('method_not_allowed', `This path takes ${allow}, not ${request.method.toUpperCase()}`);
    responder.failure(outgoing(request), failure, ['Allow', allow]);
    return h.abandon;
  };
}

function addAuthentication(server: Server, parts: GroundParts): void {
  const scheme = (identify: (request: Request) => Caller | Promise<Caller>) => () => ({
    async authenticate(request: Request, h: ResponseToolkit) {
      try {
        const caller = await identify(request);
        parts.limits.admit(caller, (request.raw.req as Incoming).request_id, request.route.settings.app?.operation);
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
function admission(active: ActiveOperation, { limits, responder }: HandlerParts): Lifecycle.Method {
  return (request, h) => {
    try {
      const req = request.raw.req as Incoming;
      limits.admit(anonymous(req), req.request_id, active.operation);
      return h.continue;
    } catch (thrown) {
      responder.failure(outgoing(request), asFailure(thrown));
      return h.abandon;
    }
  };
}

function routeOptions(active: ActiveOperation, parts: HandlerParts): RouteOptions {
  const { who, kind, method } = active.operation;
  const first = [...(who === 'public' ? [admission(active, parts)] : []), ...(kind === 'upload' ? [paced] : [])];
  return {
    app: { operation: active.operation },
    auth: who === 'public' ? false : kind === 'stream' || kind === 'file' ? 'stream' : 'call',
    handler: kind === 'stream' ? streamHandler(active, parts) : callHandler(active, parts),
    ...(method === 'GET' ? {} : { payload: payloadOptions(active.operation, parts) }),
    ...(first.length > 0 ? { ext: { onPreAuth: first.map((each) => ({ method: each })) } } : {}),
  };
}

const paced: Lifecycle.Method = (request, h) => {
  pace(request.raw.req);
  return h.continue;
};

function payloadOptions(operation: Operation, parts: HandlerParts): RouteOptionsPayload {
  if (operation.kind !== 'upload' || !takesBody(operation)) return unread;
  return {
    allow: operation.raw === undefined ? 'multipart/form-data' : ['multipart/form-data', operation.raw],
    multipart: { output: 'file' },
    output: 'file',
    parse: true,
    maxBytes: operation.max_bytes ?? default_max_bytes,
    maxParts: 50,
    // Node ends a request that takes too long. hapi's own timer would go on after a body that is refused.
    timeout: false,
    uploads: parts.uploads,
    failAction: refusePayload(parts, operation.raw),
  } as RouteOptionsPayload;
}

function refusePayload(parts: HandlerParts, raw: string | undefined): Lifecycle.FailAction {
  return (request, h, fault) => {
    parts.responder.failure(outgoing(request), payloadFailure(fault, raw));
    return h.abandon;
  };
}

/** What hapi found wrong with a body: its type, its size, its form. */
function payloadFailure(fault: (Error & { output?: { statusCode: number } }) | undefined, raw: string | undefined): Failure {
  const full = asDiskFull(fault);
  if (full) return full;
  const cause = { cause: fault };
  switch (fault?.output?.statusCode) {
    case 413:
      return fail('payload_too_large', 'The body is larger than is allowed here', cause);
    case 415:
      return fail('unsupported_media_type', `The body must be multipart/form-data${raw === undefined ? '' : ` or ${raw}`}`, cause);
    default:
      return fail('malformed_request', 'The body is not what its headers say', cause);
  }
}
