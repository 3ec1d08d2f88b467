import type { Request as HapiRequest, Lifecycle, Server } from '@hapi/hapi';
import type { Log } from '../../../contract/extension.js';
import { Failure, fail } from '../../../contract/failure.js';
import type { Caller } from '../../../contract/operation.js';
import { within } from '../../../contract/within.js';
import type { ActiveDoor } from '../../../core/catalog/catalog.js';
import { assertScope } from '../../../core/invoke/authorise.js';
import type { RequestContext } from '../../../core/invoke/request.js';
import { anonymous, authenticate, type FindAuthenticator } from '../auth.js';
import type { Bodies } from '../bodies.js';
import { assertPlain, readBody } from '../body.js';
import { asFailure, errorBody, errorHeaders, sentenceOf } from '../errors.js';
import type { Incoming, Outgoing, Routed } from '../incoming.js';
import { default_max_bytes } from '../input.js';
import type { Metrics } from '../metrics.js';
import type { Origins } from '../origin.js';
import { rawBodyOptions } from '../raw-body.js';
import type { RequestLimits } from '../request-limits.js';
import type { Responder } from '../responder.js';
import type { ServerState } from '../server.js';
import { open, pour, send } from './answer.js';
import type { Visit } from './visit.js';
import type { Visits } from './visits.js';

/** Converts a request to a Fetch `Request` with its whole body. */
async function standardRequest(req: Incoming, { max_bytes, signal }: { max_bytes: number; signal: AbortSignal }): Promise<Request> {
  const { method = 'GET' } = req;
  assertPlain(req);
  const bytes = await readBody(req, max_bytes);
  const withBody = method !== 'GET' && method !== 'HEAD' && bytes.length > 0;
  return new Request(addressOf(req), { method, headers: headersOf(req), signal, ...(withBody ? { body: bytes } : {}) });
}

/** Returns the requested address. A door must not trust its host: a client can send any. */
function addressOf({ url = '/', headers: { host } }: Incoming): string {
  const origin = host && URL.canParse(`http://${host}`) ? `http://${host}` : 'http://localhost';
  return new URL(url, origin).href;
}

/** Returns the headers without those of the connection: the body has been read already. */
function headersOf({ rawHeaders }: Incoming): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (!/^(connection|expect|keep-alive|transfer-encoding|upgrade)$/i.test(name)) headers.append(name, rawHeaders[at + 1] as string);
  }
  return headers;
}

export interface DoorParts {
  authenticator: FindAuthenticator;
  responder: Responder;
  metrics: Metrics;
  limits: RequestLimits;
  visits: Visits;
  bodies: Bodies;
  origins: Origins;
  log: Log;
  routed?: Routed | undefined;
  /** Runs work as part of a request. */
  inRequest: <T>(context: RequestContext, work: () => T) => T;
}

const default_timeout_ms = 30_000;

/** Adds a route for each door. */
export function addDoors(server: Server, doors: readonly ActiveDoor[], parts: DoorParts): void {
  const app = server.settings.app as ServerState;
  app.refuse = (failure, path) => doors.find(({ door }) => isBelow(path, door.root ?? door.path))?.door.refuse?.(publicFailure(failure));
  for (const active of doors) {
    const options = { auth: false, handler: handler(active, parts) } as const;
    // People configure protocol clients by hand, so a trailing slash is accepted.
    for (const path of [active.door.path, `${active.door.path}/`])
      for (const method of active.door.methods)
        server.route({ method, path, options: method === 'GET' ? options : { ...options, payload: rawBodyOptions } });
  }
}

function handler(active: ActiveDoor, parts: DoorParts): Lifecycle.Method {
  return async (request, h) => {
    const doorRequest = new DoorRequest(active, parts, request);
    await doorRequest.run();
    return h.abandon;
  };
}

/** Handles one request of a door. */
class DoorRequest {
  readonly #active: ActiveDoor;
  readonly #parts: DoorParts;
  readonly #req: Incoming;
  readonly #res: Outgoing;
  readonly #params: Readonly<Record<string, string>>;
  readonly #started = performance.now();

  constructor(active: ActiveDoor, parts: DoorParts, { raw, params }: HapiRequest) {
    this.#active = active;
    this.#parts = parts;
    this.#req = raw.req as Incoming;
    this.#res = raw.res as Outgoing;
    this.#params = params as Record<string, string>;
  }

  async run(): Promise<void> {
    this.#req.route = this.#active.door.path;
    this.#parts.routed?.(this.#req.method as string, this.#active.door.path);
    try {
      const caller = await this.#enter();
      // No event reports a client that has disconnected in the meantime.
      if (this.#res.destroyed) return;
      this.#req.body = this.#parts.bodies.begin(caller);
      const visit = this.#parts.visits.admit({ res: this.#res, caller, extension: this.#active.extension }, this.#req.body);
      const { request_id } = this.#req;
      await this.#parts.inRequest({ request_id, caller, origin: caller.door, operation: this.#active.door.path }, () => this.#serve(visit));
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  async #enter(): Promise<Caller> {
    const { origin, host } = this.#req.headers;
    if (!this.#parts.origins.allows(origin, host))
      throw fail('forbidden', 'Web pages of this origin may not call this path; an administrator can allow it (PLATFORM_CORS_ORIGINS)');
    const caller = await this.#identify();
    const { scope } = this.#active.door;
    if (scope) assertScope(scope, caller);
    return caller;
  }

  async #identify(): Promise<Caller> {
    const { authenticator, limits } = this.#parts;
    try {
      const caller = this.#active.door.who === 'public' ? anonymous(this.#req) : await authenticate(this.#req, authenticator);
      this.#req.member_id = caller.member_id;
      limits.admit(caller, this.#req.request_id);
      return caller;
    } catch (thrown) {
      throw limits.refused(this.#req, asFailure(thrown));
    }
  }

  async #serve(visit: Visit): Promise<void> {
    const { activation } = this.#active;
    activation.enter();
    try {
      const response = await this.#answer(visit);
      this.#record(response.status);
      visit.detach();
      open(this.#parts.responder, { res: this.#res, response });
      if (response.body === null || this.#req.method === 'HEAD') await this.#end(response);
      else return void this.#stream(response.body, visit).finally(() => activation.leave());
    } catch (thrown) {
      activation.leave();
      throw thrown;
    }
    activation.leave();
  }

  async #answer(visit: Visit): Promise<Response> {
    const { door, handle } = this.#active;
    const request = await standardRequest(this.#req, { max_bytes: this.#max_bytes, signal: visit.signal });
    visit.signal.throwIfAborted();
    const call = { caller: visit.caller, request_id: this.#req.request_id, agent: this.#agent, params: this.#params };
    const work = visit.whileHere(Promise.resolve(handle(request, call)), (late) => void late.body?.cancel().catch(() => undefined));
    const limit_ms = door.timeout_ms ?? default_timeout_ms;
    return within(limit_ms, work, () => {
      const failure = fail('operation_timeout', `No response started within ${limit_ms / 1000} s`);
      visit.end(failure);
      throw failure;
    });
  }

  get #max_bytes(): number {
    return this.#active.door.max_bytes ?? default_max_bytes;
  }

  get #agent(): string {
    return this.#req.headers['user-agent']?.slice(0, 200) ?? '';
  }

  async #end(response: Response): Promise<void> {
    this.#res.end();
    await response.body?.cancel();
  }

  async #stream(body: ReadableStream<Uint8Array>, visit: Visit): Promise<void> {
    try {
      await pour(body, this.#res, visit.signal);
    } catch (fault) {
      if (!visit.signal.aborted) this.#report(asFailure(fault));
      // The headers are sent, so an incomplete response can only be signalled by closing the connection.
      this.#res.destroy();
    }
  }

  #refuse(thrown: unknown): void {
    if (this.#res.headersSent) return void this.#res.destroy();
    const failure = asFailure(thrown);
    this.#req.code = failure.code;
    this.#record(failure.status);
    this.#report(failure);
    send(this.#parts.responder, { res: this.#res, response: this.#protocolResponse(failure), headers: errorHeaders(failure) });
  }

  #protocolResponse(failure: Failure): Response {
    const { refuse } = this.#active.door;
    return refuse?.(publicFailure(failure)) ?? Response.json(errorBody(failure, this.#req.request_id), { status: failure.status });
  }

  #record(status: number): void {
    this.#parts.metrics.record(this.#active.door.path, status, performance.now() - this.#started);
  }

  #report(failure: Failure): void {
    if (failure.status < 500) return;
    const { path } = this.#active.door;
    const fields = { request_id: this.#req.request_id, door: path, code: failure.code, fault: failure.cause };
    if (failure.code === 'internal_error') this.#parts.log.error(`${path} failed`, fields);
    else this.#parts.log.warn(`${path}: ${failure.message}`, fields);
  }
}

/** Returns the failure without its cause and internal details. */
function publicFailure(failure: Failure): Failure {
  const { code, status, details, retry_after } = failure;
  return new Failure(code, sentenceOf(failure), { status, details, retry_after });
}

/** Returns whether a path is below a root, whose parameters match any segment. */
function isBelow(path: string, root: string): boolean {
  const segments = path.split('/');
  return root.split('/').every((part, at) => (part.startsWith('{') ? segments[at] !== undefined : part === segments[at]));
}
