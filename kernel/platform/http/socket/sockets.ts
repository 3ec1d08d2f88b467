import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocketServer } from 'ws';
import { mayAdminister } from '../../../contract/authority.js';
import type { Clock, Log } from '../../../contract/extension.js';
import { type Failure, fail as failCore } from '../../../contract/failure.js';
import type { Entry } from '../../../contract/journal.js';
import type { Caller } from '../../../contract/operation.js';
import type { Audience, Readers } from '../../../contract/socket.js';
import type { Broadcast } from '../../journal/pusher.js';
import type { PresenceRecord } from '../../presence/presences.js';
import type { FindAuthenticator } from '../auth.js';
import { asFailure } from '../errors.js';
import type { Incoming } from '../incoming.js';
import { headerLines, type Marks, refuseSocket } from '../malformed.js';
import type { Origins } from '../origin.js';
import type { RequestLog } from '../request-log.js';
import type { HeaderList } from '../responder.js';
import { Connection } from './connection.js';
import { EntryBytes } from './entry-bytes.js';
import { textFrame } from './frame-bytes.js';
import { closeCodes, defaultLimits, fail, type SocketLimits } from './limits.js';
import type { Admission, ConnectionOwner, Revocation } from './owner.js';
import type { SocketPlatform } from './platform.js';

export interface SocketsOptions {
  platform: SocketPlatform;
  authenticator: FindAuthenticator;
  clock: Clock;
  log: Log;
  version: string;
  /** Headers of every response. */
  common: HeaderList;
  origins: Origins;
  admission: Admission;
  next_id: () => string;
  /** Logs rejected clients. Default: not logged. */
  request_log?: Pick<RequestLog, 'refusedSocket'> | undefined;
  limits?: Partial<SocketLimits> | undefined;
}

/** Lifetime of the cached presence frames. */
const presence_ms = 1_000;

/** Holds the connections at `/ws`. They belong to no extension, so that they survive any replacement. */
export class Sockets implements ConnectionOwner {
  readonly limits: SocketLimits;
  readonly platform: SocketPlatform;
  readonly origins: Origins;
  readonly admission: Admission;
  readonly log: Log;
  readonly version: string;
  readonly authenticator: FindAuthenticator;
  readonly #options: SocketsOptions;
  readonly #all = new Set<Connection>();
  readonly #members = new Map<number, Set<Connection>>();
  readonly #topics = new Map<string, Set<Connection>>();
  readonly #entries = new EntryBytes();
  #server: Promise<WebSocketServer> | undefined;
  #present: { bytes: Buffer; made_at: number } | undefined;
  #written: Connection[] = [];
  #timer: NodeJS.Timeout | undefined;
  #draining = false;

  constructor(options: SocketsOptions) {
    this.#options = options;
    this.limits = { ...defaultLimits, ...options.limits };
    this.platform = options.platform;
    this.origins = options.origins;
    this.admission = options.admission;
    this.log = options.log;
    this.version = options.version;
    this.authenticator = options.authenticator;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Starts to listen to frames and presence; returns the function that stops it. */
  async listen(): Promise<() => Promise<void>> {
    this.platform.presence.listen((changes) => this.#presenceChanged(changes));
    // Preload without delaying the start; the first client may wait for it.
    this.#load().catch(() => undefined);
    return this.platform.broadcasts((broadcast) => this.#deliver(broadcast));
  }

  /** Upgrades a connection to a WebSocket. */
  accept(req: Incoming, socket: Duplex, head: Buffer): void {
    if (this.#draining) {
      refuseSocket(socket, failCore('shutting_down', 'The platform is shutting down', { retry_after: 1 }), this.#marks());
      return;
    }
    const gone = () => socket.destroy();
    socket.on('error', gone);
    this.#load().then(
      (server) => {
        socket.off('error', gone);
        if (!socket.destroyed) server.handleUpgrade(req, socket, head, (ws) => this.#open(new Connection({ ws, socket, req }, this)));
      },
      (fault: unknown) => refuseSocket(socket, asFailure(fault), this.#marks()),
    );
  }

  #open(connection: Connection): void {
    this.#all.add(connection);
    this.#timer ??= setInterval(() => this.#tick(), this.limits.tick_ms).unref();
    if (this.#draining) connection.close(closeCodes.going_away, 'shutting down');
    else void connection.identify();
  }

  #load(): Promise<WebSocketServer> {
    this.#server ??= this.#create();
    return this.#server;
  }

  async #create(): Promise<WebSocketServer> {
    const { WebSocketServer } = await import('ws');
    const maxPayload = this.limits.frame_bytes;
    const server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload });
    server.on('wsClientError', (fault, socket) => {
      refuseSocket(socket, failCore('malformed_request', `The WebSocket handshake is invalid: ${fault.message}`), this.#marks());
    });
    server.on('headers', (headers) => headers.push(...headerLines(this.#options.common)));
    return server;
  }

  /** Returns the callers of open sockets. */
  callers(): Caller[] {
    return [...this.#all].flatMap(({ caller }) => caller ?? []);
  }

  disconnect(ended: Revocation): void {
    for (const connection of [...this.#all]) connection.revoke(ended);
  }

  /** Closes all sockets; terminates those that don't close in time. */
  async close(): Promise<void> {
    this.#draining = true;
    for (const connection of [...this.#all]) connection.close(closeCodes.going_away, 'shutting down');
    const end = Date.now() + this.limits.ending_ms;
    while (this.#all.size > 0 && Date.now() < end) await sleep(20);
    for (const connection of [...this.#all]) connection.terminate();
    clearInterval(this.#timer);
  }

  now(): number {
    return this.#options.clock.now();
  }

  iso(): string {
    return this.#options.clock.iso();
  }

  nextId(): string {
    return this.#options.next_id();
  }

  #marks(): Marks {
    return { request_id: this.nextId(), common: this.#options.common };
  }

  logRejected(req: Incoming, failure: Failure): void {
    this.#options.request_log?.refusedSocket(req, failure);
  }

  report(failure: Failure, fields: object): void {
    if (failure.status < 500) return;
    const found = { ...fields, code: failure.code, fault: failure.cause };
    if (failure.code === 'internal_error') this.log.error('A frame failed', found);
    else this.log.warn(`A frame failed: ${failure.message}`, found);
  }

  assertRoom({ member_id }: Caller): void {
    const open = this.#members.get(member_id)?.size ?? 0;
    if (open >= this.limits.per_member) throw fail('too_many_sockets', `You have ${open} sockets open; close some before you open another`);
  }

  assertRoomForUnknown({ network }: Connection): void {
    let waiting = 0;
    for (const other of this.#all) if (other.phase === 'unknown' && other.network === network) waiting += 1;
    if (waiting >= this.limits.unknown_per_address) {
      throw fail('too_many_sockets', `${waiting} sockets of this network are waiting for authentication; try again later`);
    }
  }

  joined(connection: Connection): void {
    const { member_id } = connection.caller as Caller;
    add(this.#members, member_id, connection);
  }

  left(connection: Connection): void {
    this.#all.delete(connection);
    if (connection.caller) remove(this.#members, connection.caller.member_id, connection);
    for (const topic of connection.topics) remove(this.#topics, topic, connection);
    if (this.#all.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  schedule(connection: Connection): void {
    if (this.#written.length === 0) setImmediate(() => this.#flush());
    this.#written.push(connection);
  }

  subscribe(connection: Connection, topics: readonly string[]): void {
    for (const topic of topics) {
      const readers = this.platform.readers(topic);
      if (readers === undefined) throw fail('topic_not_found', `There is no topic '${topic}'`);
      if (!this.#mayRead(readers, connection)) throw failCore('forbidden', `You may not read the topic '${topic}'`);
    }
    const all = new Set([...connection.topics, ...topics]);
    if (all.size > this.limits.topics) throw failCore('invalid_input', `A socket may subscribe to ${this.limits.topics} topics`);
    for (const topic of topics) {
      connection.topics.add(topic);
      add(this.#topics, topic, connection);
    }
  }

  unsubscribe(connection: Connection, topics: readonly string[]): void {
    for (const topic of topics) {
      connection.topics.delete(topic);
      remove(this.#topics, topic, connection);
    }
  }

  /** Returns whether a socket here has subscribed to a topic. */
  isRead(topic: string): boolean {
    return this.#topics.has(topic);
  }

  bytesOf(entry: Entry): Buffer {
    return this.#entries.of(entry);
  }

  presenceFrames(): Buffer {
    const now = this.now();
    // Cached, because many clients may connect at once after a restart.
    if (!this.#present || now - this.#present.made_at >= presence_ms) {
      this.#present = { bytes: this.#encode(this.platform.presence.present()), made_at: now };
    }
    return this.#present.bytes;
  }

  #presenceChanged(changes: readonly PresenceRecord[]): void {
    this.#present = undefined;
    const bytes = this.#encode(changes);
    for (const connection of this.#all) connection.write(bytes);
  }

  /** Encodes many frames as one buffer. */
  #encode(records: readonly PresenceRecord[]): Buffer {
    const ts = this.iso();
    return Buffer.concat(records.map((data) => textFrame(JSON.stringify({ type: 'presence', data, ts }))));
  }

  #deliver(broadcast: Broadcast): void {
    const { to, except } = broadcast;
    const readers = [...this.#readersOf(to)];
    const connections = except === undefined ? readers : readers.filter(({ topics }) => !topics.has(except));
    // The text is created on first access, so don't access it without readers.
    if (connections.length === 0) return;
    const bytes = textFrame(broadcast.text);
    for (const connection of connections) connection.write(bytes);
  }

  #readersOf(to: Audience): Iterable<Connection> {
    if (to === 'everyone') return this.#all;
    if ('members' in to) return [...new Set(to.members)].flatMap((member_id) => [...(this.#members.get(member_id) ?? [])]);
    const readers = this.platform.readers(to.topic);
    if (readers === undefined) return [];
    return [...(this.#topics.get(to.topic) ?? [])].filter((connection) => this.#mayRead(readers, connection));
  }

  #mayRead(readers: Readers, { caller }: Connection): boolean {
    if (!caller) return false;
    if (typeof readers !== 'function') return readers === 'member' || mayAdminister(caller);
    try {
      return readers(caller);
    } catch (fault) {
      this.log.error('Could not determine the readers of a topic', { fault });
      return false;
    }
  }

  /** Flushes each socket with a single write: the cost is the system call. */
  #flush(): void {
    const written = this.#written;
    this.#written = [];
    for (const connection of written) connection.flush();
  }

  #tick(): void {
    const now = this.now();
    for (const connection of [...this.#all]) connection.tick(now);
  }
}

function add<K>(sets: Map<K, Set<Connection>>, key: K, connection: Connection): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(connection));
}

function remove<K>(sets: Map<K, Set<Connection>>, key: K, connection: Connection): void {
  const set = sets.get(key);
  if (set?.delete(connection) && set.size === 0) sets.delete(key);
}
