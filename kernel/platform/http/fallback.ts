import type { Lifecycle, Request, Server } from '@hapi/hapi';
import { type Failure, fail } from '../../contract/failure.js';
import type { Outgoing } from './incoming.js';
import { send } from './protocols/answer.js';
import { rawBodyOptions } from './raw-body.js';
import type { Responder } from './responder.js';
import type { ServerState } from './server.js';

const anyPath = '/{any*}';
const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/**
 * Adds a route for requests that no other route matches; it answers in the format of the path's protocol. hapi itself answers a wrong
 * method with 404 and no `Allow` (`routes.test`, "what is not there"), and reads the body first (`slow-clients.long.test`).
 */
export function addFallbackRoute(server: Server, responder: Responder): void {
  const handler: Lifecycle.Method = (request, h) => {
    const { failure, headers } = unserved(request);
    const res = request.raw.res as Outgoing;
    const response = (server.settings.app as ServerState).refuse?.(failure, request.path);
    if (response) send(responder, { res, response, headers });
    else responder.failure(res, failure, headers);
    return h.abandon;
  };
  server.route({ method: '*', path: anyPath, options: { auth: false, payload: rawBodyOptions, handler } });
}

function unserved({ server, path, method }: Request): { failure: Failure; headers: readonly string[] } {
  const allowed: string[] = methods.filter((each) => server.match(each, path)?.path !== anyPath);
  if (allowed.length === 0) return { failure: fail('not_found', 'Nothing is served under this path'), headers: [] };
  const allow = (allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed).join(', ');
  const failure = fail('method_not_allowed', `This path takes ${allow}, not ${method.toUpperCase()}`);
  return { failure, headers: ['Allow', allow] };
}
