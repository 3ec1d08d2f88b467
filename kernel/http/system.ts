import type { Lifecycle, Request, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import { type Failure, fail, failures } from '../contract/failure.js';
import type { Caller } from '../contract/operation.js';
import { isLoopback } from './address.js';
import { authenticate, type FindAuthenticator } from './auth.js';
import { asFailure, errorBody, errorHeaders } from './errors.js';
import type { Incoming } from './incoming.js';

/** The state of one part of the platform. */
export interface Check {
  code: string;
  ok: boolean;
  message: string;
}

export interface Readiness {
  ok: boolean;
  checks: readonly Check[];
}

export interface SystemParts {
  authenticator: FindAuthenticator;
  checks: () => Promise<Readiness>;
  /** All of `/metrics`. */
  metrics: () => Promise<string>;
  draining: () => boolean;
}

/** The paths that the kernel serves whatever is loaded. */
export const systemClaims = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'] as const;

const notReady = failures({ not_ready: 503 });

export function addSystemRoutes(server: Server, parts: SystemParts): void {
  addRoute(server, '/healthz', () => ({ status: 'ok' }));
  addRoute(server, '/readyz', (request, h) => ready(parts, request, h));
  addRoute(server, '/metrics', async (request, h) => {
    await assertMayRead(request.raw.req as Incoming, parts.authenticator);
    return h.response(await parts.metrics()).type('text/plain; version=0.0.4; charset=utf-8');
  });
  const notFound: Lifecycle.Method = (request, h) => refused(request, h, fail('not_found', 'Nothing is served under this path'));
  server.route({ method: '*', path: '/{any*}', handler: notFound });
}

/** Adds a `GET` route whose failures are answered as everywhere. */
export function addRoute(server: Server, path: string, handler: Lifecycle.Method): void {
  server.route({
    method: 'GET',
    path,
    handler: async (request, h) => {
      try {
        return await (handler as (request: Request, h: ResponseToolkit) => Promise<Lifecycle.ReturnValue>)(request, h);
      } catch (thrown) {
        return refused(request, h, asFailure(thrown));
      }
    },
  });
  const notAllowed: Lifecycle.Method = (request, h) =>
    refused(request, h, fail('method_not_allowed', `This path takes GET, not ${request.method.toUpperCase()}`)).header(
      'allow',
      'GET, HEAD',
    );
  server.route({ method: '*', path, options: { payload: { output: 'stream', parse: false, timeout: false } }, handler: notAllowed });
}

/** The messages of checks are for those who run the platform: here only what is ready and what isn't. */
async function ready(parts: SystemParts, request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValue> {
  if (parts.draining()) throw fail('shutting_down', 'The platform is shutting down');
  const { ok, checks } = await parts.checks();
  const shown = checks.map((check) => ({ code: check.code, ok: check.ok }));
  if (ok) return { ok, checks: shown };
  const missing = shown.filter((check) => !check.ok).map((check) => check.code);
  const failure = notReady('not_ready', `The platform is not ready: ${missing.join(', ')}`);
  const body = { ...errorBody(failure, (request.raw.req as Incoming).request_id), checks: shown };
  return h.response(body).code(failure.status);
}

/** Figures are for members, and for a collector on the same machine that asks directly. */
function assertMayRead(req: Incoming, authenticator: FindAuthenticator): Caller | Promise<Caller> | undefined {
  const forwarded = Object.keys(req.headers).some((name) => name === 'forwarded' || name.startsWith('x-forwarded-'));
  const direct = req.headers.authorization === undefined && !forwarded && isLoopback(req.socket.remoteAddress);
  return direct ? undefined : authenticate(req, authenticator);
}

function refused(request: Request, h: ResponseToolkit, failure: Failure): ResponseObject {
  const response = h.response(errorBody(failure, (request.raw.req as Incoming).request_id)).code(failure.status);
  for (const [name, value] of Object.entries(errorHeaders(failure))) response.header(name, value);
  return response;
}
