import type { Server } from '@hapi/hapi';
import type { Authenticator, Clock, Log } from '../../contract/extension.js';
import type { Caller } from '../../contract/operation.js';
import type { HttpReport } from '../../contract/system.js';
import type { Catalog, Target } from '../../core/catalog/catalog.js';
import type { Cell, CellContent } from '../../core/catalog/cell.js';
import type { RequestContext } from '../../core/invoke/request.js';
import type { DiskFloor } from '../files/disk-floor.js';
import { Bodies, in_memory, on_disk } from './bodies.js';
import { HapiCell } from './cell.js';
import { CellMaker } from './cell-maker.js';
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
  /** 0 takes a free one. */
  port: number;
  /** The address under which people reach the server, where it is known. */
  base_url?: string | undefined;
  /** Addresses and CIDR ranges whose `X-Forwarded-For` is believed. */
  trusted_proxies: readonly string[];
  /** How many requests are taken. Default: any number. */
  limits?: RequestLimitsConfig;
  /** Whether each request has a line in the log; else refused ones alone have. */
  log_requests?: boolean;
  /** Origins whose pages may call the API; `*` for all. */
  cors_origins: readonly string[];
  /** Where uploads wait, in a folder of this process' own; left out: among the system's temporary files. */
  uploads?: string | undefined;
  /** The local socket, for programs on this machine that can read the key. */
  local?: { path: string; key: string } | undefined;
}

export interface HttpOptions {
  config: HttpConfig;
  invoke: Invoke;
  /** What is registered in the slot `authenticator` now; asked for each request. */
  authenticator: () => Authenticator | undefined;
  /** Whether the parts of the platform work, for `/readyz`. */
  checks: () => Promise<Readiness>;
  /** Further lines for `/metrics`. */
  metrics: () => Promise<string>;
  /** Runs work as part of a request. */
  inRequest: <T>(context: RequestContext, work: () => T) => T;
  /** Told of each request that is refused as one too many. */
  exceeded?: (excess: Excess) => void;
  /** Does the work of each request; for tracing. */
  around?: FrontOptions['around'];
  routed?: Routed | undefined;
  /** Refuses large bodies while the disk has too little space. Default: none is refused. */
  floor?: Pick<DiskFloor, 'admit'> | undefined;
  log: Log;
  clock: Clock;
  /** The platform's version. */
  version: string;
  /** What each answer calls this instance, in the header `X-Instance`: of `A-Z a-z 0-9 . _ -`. */
  instance: string;
  /** What the sockets at `/ws` need; without it there are none. */
  sockets?: SocketPlatform | undefined;
  /** Other times and sizes for connections, streams and sockets than the usual ones. For tests. */
  connection_limits?: FrontOptions['connection_limits'];
  stream_limits?: HubOptions['limits'];
  socket_limits?: Partial<SocketLimits> | undefined;
}

/** The HTTP door. */
export interface Http {
  /** Makes what serves one version of an extension, aside from what is running. */
  buildCell(content: CellContent): Promise<Cell>;
  /** From the next request on, this is what is served. */
  publish(catalog: Catalog<Cell>): void;
  /** Fails with `port_in_use`, `port_forbidden` or `address_unavailable`. */
  listen(): Promise<Listening>;
  /** Undefined until it listens. */
  report(): HttpReport | undefined;
  /** No new connection is taken from now on, and `/readyz` answers 503; what is under way goes on. */
  drain(): Promise<void>;
  /** Ends the listeners, the streams, and the requests under way; what is still open after the deadline is cut. */
  close(deadline_ms: number): Promise<void>;
  /** Whether a socket here has subscribed to a topic. */
  isRead(topic: string): boolean;
  /** Whose streams, sockets and requests through doors are open. */
  callers(): Caller[];
  /** Ends the streams and sockets of a member at once; of one token only where it is given. */
  disconnect(who: { member_id: number; token_id?: string }): void;
  /** Ends the streams of an extension that goes; those of a replaced one go on. */
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
      limits: this.#limits,
      hub: this.#hub,
      metrics: this.#metrics,
      bodies: this.#bodies,
      uploaded: this.#uploaded,
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

  /** A cell of the kernel's own. */
  #ownCell(furnish: (server: Server) => void | Promise<void>): Cell {
    const content = { extension: 'kernel', version: this.#options.version, operations: [] };
    return new HapiCell(content, this.#responder, () => makeServer(furnish));
  }
}
