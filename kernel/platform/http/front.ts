import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { fail } from '../../contract/failure.js';
import type { Target } from '../../core/catalog/catalog.js';
import type { Cell } from '../../core/catalog/cell.js';
import { ClientAddress } from './address.js';
import { Cors } from './cors.js';
import { asFailure } from './errors.js';
import { Incoming, type Outgoing } from './incoming.js';
import type { LocalKey } from './local.js';
import { type Marks, refuseMalformed, refuseSocket, responseOn } from './malformed.js';
import { normalPath, originForm } from './path.js';
import { Pipelines } from './pipelines.js';
import type { RequestLog } from './request-log.js';
import type { Responder } from './responder.js';
import { isNavigation, mayShowDocument } from './site.js';
import { fail as failSocket } from './socket/limits.js';

/** Maps paths to targets by the longest claimed prefix of whole segments. */
class Claims<Target> {
  readonly #targets: ReadonlyMap<string, Target>;
  #prefixes: ReadonlySet<string> | undefined;

  constructor(targets: Iterable<readonly [string, Target]>) {
    this.#targets = new Map(targets);
  }

  /** Returns the longest prefix of a path, in whole segments, that is also one of a claim. */
  knownPart(path: string): string {
    this.#prefixes ??= new Set([...this.#targets.keys()].flatMap((claim) => prefixesOf(claim)));
    return prefixesOf(path).find((prefix) => this.#prefixes?.has(prefix)) ?? '';
  }

  /** The target of navigations that no other claim takes. */
  get root(): Target | undefined {
    return this.#targets.get('/');
  }

  find(path: string): Target | undefined {
    for (let prefix = path; prefix !== ''; prefix = prefix.slice(0, prefix.lastIndexOf('/'))) {
      const target = this.#targets.get(prefix);
      if (target !== undefined) return target;
    }
    return undefined;
  }
}

/** Lists the prefixes of a path by whole segments, the longest first. */
function prefixesOf(path: string): string[] {
  const segments = path.split('/');
  return segments.map((_, at) => segments.slice(0, segments.length - at).join('/')).filter((prefix) => prefix !== '');
}

/** Time limits of a connection, in ms. */
interface ConnectionLimits {
  /** Limit for the head of a request, from the start of the connection or the request's first byte. */
  head_ms: number;
  /** Limit for a request with its body. A body read into memory has a shorter limit by its size. */
  request_ms: number;
  /** Interval at which these two are checked. */
  check_ms: number;
  /** Limit between two requests. Longer than the idle timeout of load balancers, so that they close the connection. */
  idle_ms: number;
  /** Limit for a client that doesn't read its response, or doesn't send its body after it. */
  stalled_ms: number;
}

const connectionLimits: ConnectionLimits = {
  head_ms: 15_000,
  request_ms: 300_000,
  check_ms: 5_000,
  idle_ms: 65_000,
  stalled_ms: 60_000,
};

export interface FrontOptions {
  responder: Responder;
  trusted_proxies: readonly string[];
  cors_origins: readonly string[];
  next_id: () => string;
  request_log: RequestLog;
  connection_limits?: Partial<ConnectionLimits> | undefined;
  /** Wraps the work of each request; for tracing. */
  around?: ((req: Incoming, res: Outgoing, work: () => void) => void) | undefined;
  /** Accepts WebSocket connections at `/ws`. */
  sockets: { accept(req: Incoming, socket: Duplex, head: Buffer): void } | undefined;
}

type HttpServer = Server<typeof Incoming, typeof ServerResponse<Incoming>>;
type Event = 'request' | 'checkContinue';

const serverOptions = {
  IncomingMessage: Incoming,
  maxHeaderSize: 16_384,
  // Node would answer a missing Host with its own body.
  requireHostHeader: false,
} as const;

/** Matches a Host header: a name or an address, with an optional port (RFC 9110, 7.2). It may be empty. */
const hostShape = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i;
const socketPath = '/ws';
const max_connections = 10_000;

/**
 * Receives every request and passes it to the cell that claims its path. hapi can't do this: a server can't remove routes
 * while it runs, but a cell is replaced as a whole while its old requests continue (benchmark `hot-swap`).
 */
export class Front {
  readonly limits: ConnectionLimits;
  readonly #options: FrontOptions;
  readonly #address: ClientAddress;
  readonly #cors: Cors;
  readonly #pipelines = new Pipelines();
  #claims = new Claims<Target<Cell>>([]);

  constructor(options: FrontOptions) {
    this.limits = { ...connectionLimits, ...options.connection_limits };
    this.#options = options;
    this.#address = new ClientAddress(options.trusted_proxies);
    this.#cors = new Cors(options.cors_origins, options.responder);
  }

  publish(claims: Iterable<readonly [string, Target<Cell>]>): void {
    this.#claims = new Claims(claims);
  }

  /** Returns the prefix of a path that consists of names of the platform only. */
  knownPart(path: string): string {
    return path === socketPath ? path : this.#claims.knownPart(path);
  }

  /** Creates a server for TCP, or with a key for the local socket. */
  createServer(local?: LocalKey): HttpServer {
    const { head_ms, request_ms, check_ms, idle_ms, stalled_ms } = this.limits;
    const times = {
      headersTimeout: head_ms,
      requestTimeout: request_ms,
      connectionsCheckingInterval: check_ms,
      keepAliveTimeout: idle_ms,
    };
    const server = createServer({ ...serverOptions, ...times });
    server.maxConnections = max_connections;
    server.on('request', (req, res) => this.#receive('request', req, res, local));
    server.on('checkContinue', (req, res) => this.#receive('checkContinue', req, res, local));
    server.on('checkExpectation', (req, res) => this.#refuseExpectation(req, res));
    server.on('clientError', (fault, socket) => refuseMalformed(fault, socket, this.#marks()));
    server.on('upgrade', (req, socket, head) => {
      if (isInTurn(req.socket)) this.#upgrade(req, { socket, head, local });
    });
    server.on('connect', (req, socket) => {
      if (isInTurn(req.socket))
        refuseSocket(socket, fail('method_not_allowed', 'CONNECT is not supported: this server is not a proxy'), this.#marks());
    });
    server.setTimeout(stalled_ms, endIfIdle);
    return server;
  }

  #receive(event: Event, req: Incoming, res: Outgoing, local: LocalKey | undefined): void {
    this.#begin(req, res);
    const work = () => {
      try {
        this.#enter(req, local);
        if (!this.#cors.handle(req, res)) this.#dispatch(event, req, res);
      } catch (thrown) {
        this.#refuse(res, thrown);
      }
    };
    const { around } = this.#options;
    this.#pipelines.enter(res, around ? () => around(req, res, work) : work);
  }

  #begin(req: Incoming, res: Outgoing): void {
    req.request_id = this.#options.next_id();
    if (req.isUpgradeIgnored) res.shouldKeepAlive = false;
    this.#options.request_log.watch(req, res);
  }

  #enter(req: Incoming, local: LocalKey | undefined): void {
    if (local) {
      req.door = 'local';
      local.check(req.headers.authorization);
      return;
    }
    const { remoteAddress } = req.socket;
    req.address = this.#address.of(remoteAddress, req.headers['x-forwarded-for']);
    req.scheme = this.#address.scheme(remoteAddress, req.headers['x-forwarded-proto']);
  }

  #dispatch(event: Event, req: Incoming, res: Outgoing): void {
    assertHead(req);
    req.url = originForm(req.url as string);
    req.path = normalPath(req.url);
    if (req.path === socketPath && this.#options.sockets) {
      throw failSocket('upgrade_required', 'This path only accepts WebSocket upgrades');
    }
    const target = this.#claims.find(req.path) ?? this.#siteFor(req);
    if (!target) throw fail('not_found', 'Nothing is served under this path');
    if (target.kind === 'unavailable' && this.#options.responder.draining)
      throw fail('shutting_down', 'The platform is shutting down', { retry_after: 1 });
    if (target.kind === 'unavailable') {
      throw fail('extension_unavailable', `Extension '${target.extension}' is unavailable: ${target.reason}`);
    }
    target.cell.receive(event, req, res);
  }

  /** Returns the web app for a navigation that nothing else claims. */
  #siteFor(req: Incoming): Target<Cell> | undefined {
    return isNavigation(req) && mayShowDocument(req.path) ? this.#claims.root : undefined;
  }

  #refuse(res: Outgoing, thrown: unknown): void {
    const failure = asFailure(thrown);
    const { path, url = '' } = res.req;
    // A malformed path has not been normalised.
    const claimed = this.#claims.find(path || (url.split('?', 1)[0] ?? ''));
    const protocol = claimed?.protocol;
    const { responder } = this.#options;
    if ((!claimed || path === '/') && path && this.#siteFor(res.req)) responder.failurePage(res, failure);
    else if (protocol) responder.protocolFailure(res, failure, protocol);
    else responder.failure(res, failure);
  }

  #refuseExpectation(req: Incoming, res: Outgoing): void {
    this.#begin(req, res);
    this.#refuse(res, fail('malformed_request', 'The Expect header supports only "100-continue"'));
  }

  /** Upgrades a connection to a WebSocket. */
  #upgrade(req: Incoming, { socket, head, local }: { socket: Duplex; head: Buffer; local: LocalKey | undefined }): void {
    req.request_id = this.#options.next_id();
    try {
      this.#enter(req, local);
      assertHead(req);
      req.url = originForm(req.url as string);
      const { sockets } = this.#options;
      req.path = normalPath(req.url);
      if (!sockets || req.path !== socketPath) throw fail('not_found', 'No WebSocket is served under this path');
      // Since Node 26, Node's parser still reads such a connection.
      if (hasBody(req)) throw fail('malformed_request', 'A WebSocket upgrade must not have a body');
      this.#options.request_log.upgraded(req);
      sockets.accept(req, socket, head);
    } catch (thrown) {
      const failure = asFailure(thrown);
      this.#options.request_log.refusedSocket(req, failure);
      refuseSocket(socket, failure, this.#marks(req.request_id));
    }
  }

  /** Returns the headers of a response that is written without a responder. */
  #marks(request_id = this.#options.next_id()): Marks {
    return { request_id, common: this.#options.responder.common };
  }
}

/**
 * Rejects what RFC 9112 (2.3, 3.2, 6.1) forbids but Node's parser accepts: another version, a missing or repeated Host, an unknown
 * transfer coding. The parser rejects some of the latter itself, but only after it has passed the request on.
 */
function assertHead({ httpVersion, headers: { host, 'transfer-encoding': coding }, rawHeaders }: Incoming): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw fail('malformed_request', 'Only HTTP/1.1 and HTTP/1.0 are supported');
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw fail('malformed_request', 'The Transfer-Encoding header supports only "chunked"');
  if (host === undefined) {
    if (httpVersion === '1.1') throw fail('malformed_request', 'The request has no Host header');
    return;
  }
  if (!hostShape.test(host)) throw fail('malformed_request', 'Malformed Host header: expected a host with an optional port');
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at] as string)) hosts += 1;
  if (hosts > 1) throw fail('malformed_request', 'The request has more than one Host header');
}

function hasBody({ headers }: Incoming): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}

/** Returns whether no response is pending; otherwise destroys the connection, because a write now would count as that response. */
function isInTurn(socket: Duplex): boolean {
  if (!responseOn(socket)) return true;
  socket.destroy();
  return false;
}

/** Handles a socket timeout: destroys an idle connection and one whose client doesn't read, but not one whose response is pending. */
function endIfIdle(socket: Duplex): void {
  const response = responseOn(socket);
  if (!response || socket.writableLength > 0) socket.destroy();
}
