import type { IncomingMessage } from 'node:http';
import type { Lifecycle, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import { fail, failures } from '../../contract/failure.js';
import { isLoopback } from './address.js';
import { authenticate, type FindAuthenticator } from './auth.js';
import type { Docs } from './docs/docs.js';
import { asFailure, errorBody } from './errors.js';
import { addFallbackRoute } from './fallback.js';
import type { Incoming, Outgoing, Routed } from './incoming.js';
import type { RequestLimits } from './request-limits.js';
import type { Responder } from './responder.js';

/** The state of one part of the platform. */
export interface Check {
  /** Extension of the check. */
  extension?: string;
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
  /** Returns the content of `/metrics`. */
  metrics: () => Promise<string>;
  docs: Docs;
  limits: Pick<RequestLimits, 'refused'>;
  responder: Responder;
  routed?: Routed | undefined;
}

/** Paths of the kernel itself, with the cell that serves each. */
export const systemClaims = [
  ['/healthz', 'system'],
  ['/readyz', 'system'],
  ['/metrics', 'system'],
  ['/openapi.json', 'system'],
  ['/docs', 'docs'],
] as const;

/** Lifetime of a cached readiness result: anonymous callers may ask, and each check costs a database statement. */
const readiness_ms = 1_000;

const notReady = failures({ not_ready: 503 });

/** Answers a request. */
type Answer = (h: ResponseToolkit, req: Incoming) => ResponseObject | Promise<ResponseObject>;

export function addSystemRoutes(server: Server, parts: SystemParts): void {
  const checks = sharedWork(parts.checks, readiness_ms);
  const paths: Record<string, Answer> = {
    '/healthz': (h) => h.response({ status: 'ok' }),
    '/readyz': (h, req) => ready({ responder: parts.responder, checks }, h, req),
    '/metrics': async (h, req) => {
      await assertMayRead(req, parts);
      return h.response(await parts.metrics()).type('text/plain; version=0.0.4; charset=utf-8');
    },
    '/openapi.json': async (h) => h.response(await parts.docs.text()).type('application/json'),
  };
  for (const [path, answer] of Object.entries(paths)) server.route({ method: 'GET', path, handler: handlerOf(answer, parts) });
  addFallbackRoute(server, parts.responder);
}

function handlerOf(answer: Answer, { responder, routed }: SystemParts): Lifecycle.Method {
  return async ({ raw, route }, h) => {
    const [req, res] = [raw.req as Incoming, raw.res as Outgoing];
    try {
      routed?.(req.method as string, route.path);
      const response = await answer(h, req);
      responder.prepare(res);
      return response;
    } catch (thrown) {
      responder.failure(res, asFailure(thrown));
      return h.abandon;
    }
  };
}

/** Answers `/readyz` with the state of each check, without messages: those are for operators. */
async function ready(
  { responder, checks }: Pick<SystemParts, 'responder' | 'checks'>,
  h: ResponseToolkit,
  { request_id }: Incoming,
): Promise<ResponseObject> {
  if (responder.draining) throw fail('shutting_down', 'The platform is shutting down');
  const { ok, checks: found } = await checks();
  const shown = found.map((check) => ({ extension: check.extension ?? 'kernel', code: check.code, ok: check.ok }));
  if (ok) return h.response({ ok, checks: shown });
  const missing = shown.filter((check) => !check.ok).map(({ extension, code }) => `${code} of ${extension}`);
  const failure = notReady('not_ready', `The platform is not ready: ${missing.join(', ')}`);
  return h.response({ ...errorBody(failure, request_id), checks: shown }).code(failure.status);
}

/** Fails unless the caller is a member, or a collector on the same machine without a proxy. */
async function assertMayRead(req: Incoming, { authenticator, limits }: SystemParts): Promise<void> {
  if (req.headers.authorization === undefined && isLocalRequest(req)) return;
  try {
    await authenticate(req, authenticator);
  } catch (thrown) {
    throw limits.refused(req, asFailure(thrown));
  }
}

/** Shares one run of some work among concurrent callers, and caches its result for a time. */
function sharedWork<T>(work: () => Promise<T>, kept_ms: number): () => Promise<T> {
  let shared: Promise<T> | undefined;
  const forget = () => {
    shared = undefined;
  };
  return () => {
    shared ??= work().finally(() => setTimeout(forget, kept_ms).unref());
    return shared;
  };
}

/** Headers that a proxy adds. */
const proxied = /^(?:forwarded|via|x-real-ip|x-forwarded-.*|cf-connecting-ip|true-client-ip)$/;

/**
 * Returns whether a program on this machine calls directly. A loopback connection alone doesn't prove that: it may come from a proxy, or
 * from a browser for a page whose name was rebound to this machine; that name is in `Host` or `Origin`.
 */
function isLocalRequest({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  if (!isLoopback(socket.remoteAddress) || Object.keys(headers).some((name) => proxied.test(name))) return false;
  return isLoopbackHost(headers.host) && (headers.origin === undefined || isLoopbackOrigin(headers.origin)) && !isForeignPage(headers);
}

/** Returns whether a browser marks the request as made by another site's page, which may send no `Origin`. */
function isForeignPage(headers: IncomingMessage['headers']): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

function isLoopbackOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackHost(new URL(origin).host);
}

/** Returns whether a host is `localhost` or a loopback address, with or without a port. */
function isLoopbackHost(host: string | undefined): boolean {
  const name = (host ?? '').replace(/:\d*$/, '').toLowerCase();
  return name === 'localhost' || isLoopback(name.replace(/^\[(.*)\]$/, '$1'));
}
