import type { Lifecycle, ResponseToolkit, Server } from '@hapi/hapi';
import { fail, failures } from '../../contract/failure.js';
import { authenticate, type FindAuthenticator } from './auth.js';
import type { Docs } from './docs/docs.js';
import { asFailure, errorBody } from './errors.js';
import type { Incoming, Outgoing, Routed } from './incoming.js';
import { isLocalRequest } from './local-request.js';
import type { RequestLimits } from './request-limits.js';
import type { Responder } from './responder.js';
import { sharedWork } from './shared-work.js';
import { unread } from './unread.js';

/** The state of one part of the platform. */
export interface Check {
  /** Whose part it is. */
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
  /** All of `/metrics`. */
  metrics: () => Promise<string>;
  docs: Docs;
  limits: Pick<RequestLimits, 'refused'>;
  responder: Responder;
  routed?: Routed | undefined;
}

/** The paths that the kernel serves whatever is loaded, and which of its cells does. */
export const systemClaims = [
  ['/healthz', 'system'],
  ['/readyz', 'system'],
  ['/metrics', 'system'],
  ['/openapi.json', 'system'],
  ['/docs', 'docs'],
] as const;

/** So long it is told again whether the platform is ready: nobody has to be known to ask, and each answer costs the database a statement. */
const readiness_ms = 1_000;

const notReady = failures({ not_ready: 503 });

type Answer = (res: Outgoing) => void | Promise<void>;

export function addSystemRoutes(server: Server, parts: SystemParts): void {
  const { responder } = parts;
  const checks = sharedWork(parts.checks, readiness_ms);
  const paths: Record<string, Answer> = {
    '/healthz': (res) => responder.json(res, { status: 200, body: { status: 'ok' } }),
    '/readyz': (res) => ready({ responder, checks }, res),
    '/metrics': async (res) => {
      await assertMayRead(res.req, parts);
      responder.text(res, { type: 'text/plain; version=0.0.4; charset=utf-8', body: await parts.metrics() });
    },
    '/openapi.json': async (res) => {
      responder.text(res, { type: 'application/json; charset=utf-8', body: await parts.docs.text() });
    },
  };
  for (const [path, answer] of Object.entries(paths)) addRoute(server, { path, answer }, parts);
  const answer: Answer = (res) => responder.failure(res, fail('not_found', 'Nothing is served under this path'));
  server.route({
    method: '*',
    path: '/{any*}',
    options: { payload: unread },
    handler: handlerOf(answer, responder),
  });
}

function addRoute(server: Server, { path, answer }: { path: string; answer: Answer }, { responder, routed }: SystemParts): void {
  const refuse: Answer = (res) => {
    const failure = fail('method_not_allowed', `This path takes GET, not ${res.req.method}`);
    responder.failure(res, failure, ['Allow', 'GET, HEAD']);
  };
  const told: Answer = (res) => {
    routed?.(res.req.method as string, path);
    return answer(res);
  };
  server.route({ method: 'GET', path, handler: handlerOf(routed ? told : answer, responder) });
  server.route({
    method: '*',
    path,
    options: { payload: unread },
    handler: handlerOf(refuse, responder),
  });
}

function handlerOf(answer: Answer, responder: Responder): Lifecycle.Method {
  return ({ raw }, h: ResponseToolkit) => {
    const res = raw.res as Outgoing;
    const refuse = (thrown: unknown) => responder.failure(res, asFailure(thrown));
    try {
      // What is answered at once costs no promise.
      const answered = answer(res);
      return answered ? answered.catch(refuse).then(() => h.abandon) : h.abandon;
    } catch (thrown) {
      refuse(thrown);
      return h.abandon;
    }
  };
}

/** The messages of checks are for those who run the platform: here only what is ready and what isn't. */
async function ready({ responder, checks }: Pick<SystemParts, 'responder' | 'checks'>, res: Outgoing): Promise<void> {
  if (responder.draining) throw fail('shutting_down', 'The platform is shutting down');
  const { ok, checks: found } = await checks();
  const shown = found.map((check) => ({ extension: check.extension ?? 'kernel', code: check.code, ok: check.ok }));
  if (ok) return responder.json(res, { status: 200, body: { ok, checks: shown } });
  const missing = shown.filter((check) => !check.ok).map(({ extension, code }) => `${code} of ${extension}`);
  const failure = notReady('not_ready', `The platform is not ready: ${missing.join(', ')}`);
  return responder.json(res, { status: failure.status, body: { ...errorBody(failure, res.req.request_id), checks: shown } });
}

/** Figures are for members, and for a collector on the same machine that asks directly. */
async function assertMayRead(req: Incoming, { authenticator, limits }: SystemParts): Promise<void> {
  if (req.headers.authorization === undefined && isLocalRequest(req)) return;
  try {
    await authenticate(req, authenticator);
  } catch (thrown) {
    throw limits.refused(req, asFailure(thrown));
  }
}
