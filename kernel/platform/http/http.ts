import type { Server } from '@hapi/hapi';
import type { Authenticator, Clock, Log } from '../../contract/extension.js';
import type { Caller } from '../../contract/operation.js';
import type { HttpReport } from '../../contract/system.js';
import type { Catalog, Target } from '../../core/catalog/catalog.js';
import type { Cell, CellContent } from '../../core/catalog/cell.js';
import type { RequestContext } from '../../core/invoke/request.js';
import type { DiskFloor } from '../files/disk-floor.js';
import { Bodies, in_memory, in_transit, on_disk } from './bodies.js';
import { HapiCell } from './cell.js';
import { CellMaker } from './cell-maker.js';
import { Cookies } from './cookies.js';
import { Docs } from './docs/docs.js';
import { Doors, type Listening } from './doors.js';
import { Front, type FrontOptions } from './front.js';
import type { Invoke } from './handle.js';
import { type HubOptions, StreamHub } from './hub.js';
import { type Routed, requestIds } from './incoming.js';
import { Metrics } from './metrics.js';
import { Origins } from './origin.js';
import { Visits } from './protocols/visits.js';
import { type Excess, RequestLimits, type RequestLimitsConfig } from './request-limits.js';
import { RequestLog } from './request-log.js';
import { Responder } from './responder.js';
import { makeServer } from './server.js';
import type { SocketLimits } from './socket/limits.js';
import type { SocketPlatform } from './socket/platform.js';
import { Sockets } from './socket/sockets.js';
import { addSystemRoutes, type Readiness, systemClaims } from './system.js';

export interface HttpConfig {
  host: string;
  /** 0 chooses a free port. */
  port: number;
  /** Public address of the server, if known. */
  base_url?: string | undefined;
  /** Addresses and CIDR ranges whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. */
  trusted_proxies: readonly string[];
  /** Limits of requests. Default: none. */
  limits?: RequestLimitsConfig;
  /** Whether to log each request. Default: only refused ones. */
  log_requests?: boolean;
  /** Origins whose pages may call the API; `*` for all. */
  cors_origins: readonly string[];
  /** Folder of pending uploads. Default: in the system's temporary folder. */
  uploads?: string | undefined;
  /** The local socket, for programs on this machine that can read the key. */
  local?: { path: string; key: string } | undefined;
}

export interface HttpOptions {
  config: HttpConfig;
  invoke: Invoke;
  /** Returns the registered authenticator; called for each request. */
  authenticator: () => Authenticator | undefined;
  /** Runs the readiness checks for `/readyz`. */
  checks: () => Promise<Readiness>;
  /** Further lines for `/metrics`. */
  metrics: () => Promise<string>;
  /** Runs work as part of a request. */
  inRequest: <T>(context: RequestContext, work: () => T) => T;
  /** Called for each request that exceeds a limit. */
  exceeded?: (excess: Excess) => void;
  /** Wraps the work of each request; for tracing. */
  around?: FrontOptions['around'];
  routed?: Routed | undefined;
  /** Rejects large bodies while the disk is low. Default: none is rejected. */
  floor?: Pick<DiskFloor, 'admit'> | undefined;
  log: Log;
  clock: Clock;
  /** The platform's version. */
  version: string;
  /** Name of this instance in the header `X-Instance`, from `A-Z a-z 0-9 . _ -`. */
  instance: string;
  /** Services for the sockets at `/ws`. Default: no sockets. */
  sockets?: SocketPlatform | undefined;
  /** Overrides the limits of connections, streams and sockets. For tests. */
  connection_limits?: FrontOptions['connection_limits'];
  stream_limits?: HubOptions['limits'];
  socket_limits?: Partial<SocketLimits> | undefined;
}

/** The HTTP server. */
export interface Http {
  /** Builds the cell of one version of an extension, without serving it yet. */
  buildCell(content: CellContent): Promise<Cell>;
  /** Publishes a catalog: it is served from the next request on. */
  publish(catalog: Catalog<Cell>): void;
  /** Starts to listen. Fails with `port_in_use`, `port_forbidden` or `address_unavailable`. */
  listen(): Promise<Listening>;
  /** Returns traffic figures; undefined until it listens. */
  report(): HttpReport | undefined;
  /** Stops accepting connections; `/readyz` answers 503. Requests in progress continue. */
  drain(): Promise<void>;
  /** Closes listeners, streams and requests; cuts open connections after the deadline. */
  close(deadline_ms: number): Promise<void>;
  /** Returns whether a socket here has subscribed to a topic. */
  isRead(topic: string): boolean;
  /** Returns the callers of open streams, sockets and door requests. */
  callers(): Caller[];
  /** Closes the streams and sockets of a member at once, or only those of one token. */
  disconnect(who: { member_id: number; token_id?: string }): void;
  /** Ends the streams of a removed extension; those of a replaced one continue. */
  stopStreams(extension: string): void;
}

export function createHttp(options: HttpOptions): Http {
  return new HttpDoor(options);
}

type Claim = readonly [string, Target<Cell>];

class HttpDoor implements Http {
  readonly #options: HttpOptions;
  readonly #metrics = new Metrics();
  readonly #hub: StreamHub;
  readonly #bodies: Bodies;
  readonly #uploaded: Bodies;
  readonly #sent: Bodies;
  readonly #visits = new Visits();
  readonly #responder: Responder;
  readonly #limits: RequestLimits;
  readonly #cells: CellMaker;
  readonly #front: Front;
  readonly #doors: Doors;
  readonly #docs: Docs;
  readonly #sockets: Sockets | undefined;
  #unlisten: () => Promise<void> = async () => undefined;
  #listening: Listening | undefined;
  #own: readonly Claim[] = [];
  #claims: readonly Claim[] = [];

  constructor(options: HttpOptions) {
    const { config, log, clock, version, instance, exceeded } = options;
    const base_url = config.base_url || undefined;
    this.#options = options;
    this.#bodies = new Bodies(in_memory, options.floor);
    this.#uploaded = new Bodies(on_disk, options.floor);
    this.#sent = new Bodies(in_transit);
    this.#docs = new Docs({ version, base_url, log });
    this.#responder = new Responder({ base_url, instance });
    this.#limits = new RequestLimits({ requests_per_minute: 0, costly_per_minute: 0, ...config.limits, exceeded });
    this.#hub = new StreamHub({ clock, log, responder: this.#responder, limits: options.stream_limits });
    const next_id = requestIds();
    const origins = new Origins(config.cors_origins, base_url);
    const { sockets: platform, socket_limits: limits, authenticator, around } = options;
    const [admission, { common }] = [this.#limits, this.#responder];
    const request_log = new RequestLog({
      log,
      everything: config.log_requests ?? false,
      now: () => performance.now(),
      knownPart: (path) => this.#front.knownPart(path),
    });
    this.#sockets =
      platform && new Sockets({ platform, authenticator, clock, log, version, common, origins, admission, next_id, request_log, limits });
    const { connection_limits } = options;
    this.#front = new Front({
      ...config,
      responder: this.#responder,
      sockets: this.#sockets,
      next_id,
      request_log,
      around,
      connection_limits,
    });
    this.#doors = new Doors(this.#front, config, log);
    const parts = {
      ...options,
      responder: this.#responder,
      cookies: new Cookies(base_url),
      limits: this.#limits,
      hub: this.#hub,
      metrics: this.#metrics,
      bodies: this.#bodies,
      uploaded: this.#uploaded,
      sent: this.#sent,
    };
    this.#cells = new CellMaker({ ...parts, visits: this.#visits, origins }, config.uploads);
  }

  buildCell(content: CellContent): Promise<Cell> {
    return this.#cells.make(content);
  }

  publish(catalog: Catalog<Cell>): void {
    this.#claims = [...catalog.claims];
    this.#front.publish([...this.#claims, ...this.#own]);
    this.#docs.publish(catalog);
    const doors = new Set(
      this.#claims.flatMap(([, target]) => (target.kind === 'cell' ? target.cell.doors.map(({ door }) => door.path) : [])),
    );
    this.#metrics.keep({ has: (id) => catalog.operations.has(id) || doors.has(id) });
  }

  async listen(): Promise<Listening> {
    const cells = { system: this.#systemCell(), docs: this.#docsCell() };
    this.#own = systemClaims.map(([claim, name]) => [claim, { kind: 'cell', extension: 'kernel', cell: cells[name] }]);
    this.#front.publish([...this.#claims, ...this.#own]);
    if (this.#sockets) this.#unlisten = await this.#sockets.listen();
    this.#listening = await this.#doors.open();
    return this.#listening;
  }

  report(): HttpReport | undefined {
    const open = { streams: this.#hub.size, sockets: this.#sockets?.size ?? 0 };
    return this.#listening && { url: this.#listening.url, ...this.#metrics.traffic.figures(), ...open };
  }

  async drain(): Promise<void> {
    this.#responder.drain();
    await this.#doors.shut();
  }

  async close(deadline_ms: number): Promise<void> {
    this.#responder.drain();
    this.#hub.close();
    this.#visits.close();
    await Promise.all([this.#sockets?.close(), this.#doors.close(deadline_ms)]);
    await this.#unlisten();
    this.#metrics.close();
    await this.#cells.close();
  }

  callers(): Caller[] {
    return [...this.#hub.callers(), ...this.#visits.callers(), ...(this.#sockets?.callers() ?? [])];
  }

  disconnect(who: { member_id: number; token_id?: string }): void {
    this.#hub.disconnect(who);
    this.#visits.disconnect(who);
    this.#sockets?.disconnect(who);
  }

  isRead(topic: string): boolean {
    return this.#sockets?.isRead(topic) ?? false;
  }

  stopStreams(extension: string): void {
    this.#visits.stop(extension);
    this.#hub.stopStreams(extension, this.#responder.draining ? 'stopping' : 'unloaded');
  }

  #systemCell(): Cell {
    const { authenticator, checks, routed } = this.#options;
    const metrics = async () =>
      this.#metrics.text({ streams: this.#hub.size, sockets: this.#sockets?.size ?? 0 }) + (await this.#options.metrics());
    const parts = { authenticator, checks, metrics, docs: this.#docs, limits: this.#limits, responder: this.#responder, routed };
    return this.#ownCell((server) => addSystemRoutes(server, parts));
  }

  #docsCell(): Cell {
    const parts = { responder: this.#responder, base_url: this.#options.config.base_url || undefined };
    return this.#ownCell(async (server) => {
      const { addDocsRoutes } = await import('./docs/page.js');
      await addDocsRoutes(server, parts);
    });
  }

  /** Creates a cell of the kernel. */
  #ownCell(furnish: (server: Server) => void | Promise<void>): Cell {
    const content = { extension: 'kernel', version: this.#options.version, operations: [] };
    return new HapiCell(content, this.#responder, () => makeServer(furnish));
  }
}
