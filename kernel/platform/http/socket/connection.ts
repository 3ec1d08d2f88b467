import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { fail as failCore } from '../../../contract/failure.js';
import type { Entry } from '../../../contract/journal.js';
import { networkOf } from '../../../contract/network.js';
import type { Caller } from '../../../contract/operation.js';
import { TokenBucket } from '../../../core/limits/token-bucket.js';
import { memberTopic } from '../../journal/member-topic.js';
import type { Device } from '../../presence/presences.js';
import { asFailure, errorBody } from '../errors.js';
import type { Incoming } from '../incoming.js';
import { answerFrame } from './answer.js';
import { idOf, readFrame } from './client-frame.js';
import { callerOf, callerOfToken, queryOf } from './credentials.js';
import { Feed } from './feed.js';
import { pingFrame, textFrame } from './frame-bytes.js';
import { Inbox } from './inbox.js';
import { closeCodes, fail } from './limits.js';
import { Outbox } from './outbox.js';
import type { ConnectionOwner, Revocation } from './owner.js';

/**
 * - `identifying`: the caller is being identified, by the request or by the first frame.
 * - `unknown`: waits for the first frame.
 */
type Phase = 'identifying' | 'unknown' | 'open' | 'closing' | 'closed';

/** One client connection at `/ws`. */
export class Connection {
  readonly id = randomUUID();
  /** Network by which it is counted until the caller is identified. */
  readonly network: string;
  /** Subscribed topics. */
  readonly topics = new Set<string>();
  readonly #ws: WebSocket;
  readonly #req: Incoming;
  readonly #owner: ConnectionOwner;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #bucket: TokenBucket;
  /** Revocations received while the caller was being identified. */
  readonly #revocations: Revocation[] = [];
  #phase: Phase = 'identifying';
  #caller: Caller | undefined;
  #after: string | undefined;
  #feed: Feed | undefined;
  #device: Device | undefined;
  /** Start of the current phase, for time limits. */
  #since: number;
  #active_at: number;
  #pinged_at: number;

  constructor({ ws, socket, req }: { ws: WebSocket; socket: Duplex; req: Incoming }, owner: ConnectionOwner) {
    this.#ws = ws;
    this.#req = req;
    this.#owner = owner;
    this.network = networkOf(req.address);
    const now = owner.now();
    this.#since = this.#active_at = this.#pinged_at = now;
    const schedule = () => owner.schedule(this);
    this.#outbox = new Outbox({ ws, socket, limits: owner.limits, now: () => owner.now(), schedule });
    this.#bucket = new TokenBucket(owner.limits.frames_per_second, now);
    this.#inbox = new Inbox(owner.limits.inbox_bytes, (text) => this.#handle(text));
    ws.on('message', (data, isBinary) => this.#message(data, isBinary));
    ws.on('ping', () => this.#recordActivity());
    ws.on('pong', () => this.#recordActivity());
    // After a protocol error or an exceeded limit, the library closes with the matching code.
    ws.on('error', () => this.#ending());
    ws.on('close', () => this.#closed());
    socket.on('drain', () => this.#drained());
  }

  get phase(): Phase {
    return this.#phase;
  }

  get caller(): Caller | undefined {
    return this.#caller;
  }

  /** Identifies the caller by the request. */
  async identify(): Promise<void> {
    try {
      this.#checkOrigin(this.#req);
      const query = queryOf(this.#req);
      this.#after = query.after;
      const caller = await callerOf(this.#req, query, this.#owner.authenticator);
      if (caller) await this.#welcome(caller);
      else this.#waitForAuth();
    } catch (thrown) {
      this.#refuseUnidentified(thrown);
    }
  }

  /** Closes the connection if the revocation applies to its caller. */
  revoke(ended: Revocation): void {
    if (this.#phase === 'identifying' || this.#phase === 'unknown') this.#revocations.push(ended);
    else if (this.#caller && appliesTo(this.#caller, ended)) this.close(closeCodes.revoked, 'revoked');
  }

  /** Writes a whole frame, batched with others at the end of this tick. */
  write(bytes: Buffer): void {
    if (this.#phase === 'open' && !this.#outbox.add(bytes)) this.#tooSlow();
  }

  flush(): void {
    this.#outbox.flush();
    if (!this.#outbox.full) this.#feed?.resume();
  }

  /** Sends a frame to this socket only. */
  send(frame: { type: string; data: object; id?: string | number | undefined; cursor?: string }): void {
    this.write(textFrame(JSON.stringify({ ...frame, ts: this.#owner.iso() })));
  }

  close(code: number, reason: string): void {
    if (this.#phase === 'closing' || this.#phase === 'closed') return;
    this.#outbox.finish();
    this.#ending();
    this.#ws.close(code, reason);
  }

  /** Checks time limits. */
  tick(now: number): void {
    const { auth_ms, ending_ms } = this.#owner.limits;
    const age = now - this.#since;
    if (this.#phase === 'open') this.#checkLimits(now);
    else if (this.#phase === 'closing' && age >= ending_ms) this.#ws.terminate();
    else if (this.#phase !== 'closing' && age >= auth_ms) this.#refuse(failCore('unauthenticated', 'No authentication arrived in time'));
  }

  terminate(): void {
    this.#ws.terminate();
  }

  #checkLimits(now: number): void {
    const { heartbeat_ms, silent_ms } = this.#owner.limits;
    const { expires_at } = this.#caller as Caller;
    if (expires_at !== 0 && now >= expires_at) this.close(closeCodes.revoked, 'expired');
    else if (now - this.#active_at >= silent_ms) this.close(closeCodes.going_away, 'silent');
    else if (this.#outbox.isStalled(now)) this.#tooSlow();
    else if (now - this.#pinged_at >= heartbeat_ms) this.#ping(now);
  }

  #ping(now: number): void {
    this.#pinged_at = now;
    this.write(pingFrame);
  }

  /** Checks the origin, because browsers apply no same-origin policy to WebSockets. */
  #checkOrigin({ headers: { origin, host } }: Incoming): void {
    if (this.#owner.origins.allows(origin, host)) return;
    throw failCore(
      'origin_refused',
      'Web pages of this origin may not open a socket here; an administrator can allow it (PLATFORM_CORS_ORIGINS)',
    );
  }

  #waitForAuth(): void {
    if (this.#phase !== 'identifying') return;
    this.#owner.assertRoomForUnknown(this);
    this.#phase = 'unknown';
  }

  async #welcome(caller: Caller): Promise<void> {
    if (this.#phase !== 'identifying') return;
    this.#owner.assertRoom(caller);
    this.#caller = caller;
    this.#owner.joined(this);
    const feed = new Feed(this.#owner.platform.journal, memberTopic(caller.member_id));
    this.#feed = feed;
    const { cursor, resumed, gap } = await feed.open(this.#after);
    if (this.phase !== 'identifying') return;
    // Apply revocations received during the token lookup; later ones close the socket at once.
    if (this.#revocations.some((ended) => appliesTo(caller, ended))) {
      this.close(closeCodes.revoked, 'revoked');
      return;
    }
    this.#phase = 'open';
    this.#hello(cursor, resumed);
    if (gap) this.#resync(cursor);
    this.#device = this.#owner.platform.presence.connect(caller.member_id);
    this.write(this.#owner.presenceFrames());
    this.#inbox.open();
    void this.#read(feed);
  }

  #resync(cursor: string): void {
    this.send({ type: 'resync', data: { reason: 'not_kept' }, cursor });
  }

  #hello(cursor: string, resumed: boolean): void {
    const { version, limits } = this.#owner;
    const { member_id } = this.#caller as Caller;
    const data = { connection_id: this.id, member_id, server_version: version, heartbeat_ms: limits.heartbeat_ms, resumed };
    this.send({ type: 'hello', data, cursor });
  }

  async #read(feed: Feed): Promise<void> {
    const outbox = this.#outbox;
    try {
      await feed.run({
        entry: (entry: Entry, late: boolean) => (late ? this.#writeReviewed(entry) : this.write(this.#owner.bytesOf(entry))),
        gap: (cursor) => this.#resync(cursor),
        get full() {
          return outbox.full;
        },
      });
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  /** Writes a stored frame as far as the member may still see it. */
  async #writeReviewed(entry: Entry): Promise<void> {
    const { ts, data } = entry.data as { ts: string; data: object };
    const { member_id } = this.#caller as Caller;
    const reviewed = await this.#owner.platform.review({ type: entry.type, data }, member_id);
    if (reviewed === data) this.write(this.#owner.bytesOf(entry));
    else if (reviewed) this.write(textFrame(JSON.stringify({ type: entry.type, data: reviewed, cursor: entry.cursor, ts })));
  }

  #recordActivity(): boolean {
    const now = this.#owner.now();
    this.#active_at = now;
    if (this.#bucket.tryTake(now)) return true;
    const { frames_per_second } = this.#owner.limits;
    this.#refuse(fail('too_many_frames', `A socket may send ${frames_per_second} frames a second`));
    return false;
  }

  #message(data: RawData, isBinary: boolean): void {
    if (this.#phase === 'closing' || this.#phase === 'closed' || !this.#recordActivity()) return;
    const bytes = data as Buffer;
    if (this.#phase === 'unknown') void this.#first(bytes, isBinary);
    else if (isBinary) this.fault(fail('malformed_frame', 'Binary frames are not supported; send JSON in text frames'), undefined);
    else if (!this.#inbox.add(bytes.toString(), bytes.length))
      this.#refuse(fail('too_many_frames', 'Too many bytes are queued behind an earlier frame'));
  }

  /** Identifies the caller by the first frame if the request had no credentials. */
  async #first(bytes: Buffer, isBinary: boolean): Promise<void> {
    this.#phase = 'identifying';
    try {
      const { type, token } = readFrame(isBinary ? '' : bytes.toString());
      if (type !== 'auth') throw failCore('unauthenticated', "The first frame must have the type 'auth' and a token");
      await this.#welcome(await callerOfToken(this.#req, token, this.#owner.authenticator));
    } catch (thrown) {
      this.#refuseUnidentified(thrown);
    }
  }

  async #handle(text: string): Promise<void> {
    let id: string | number | undefined;
    try {
      const frame = readFrame(text);
      id = frame.id;
      const sender = { caller: this.#caller as Caller, connection_id: this.id };
      await answerFrame(frame, { connection: this, device: this.#device as Device, sender, owner: this.#owner });
      if (id !== undefined) this.send({ type: 'ack', id, data: {} });
    } catch (thrown) {
      this.fault(thrown, id ?? idOf(text));
    }
  }

  /** Sends an error frame to the client. */
  fault(thrown: unknown, id: string | number | undefined, request_id = this.#owner.nextId()): void {
    const failure = asFailure(thrown);
    this.#owner.report(failure, { request_id, member_id: this.#caller?.member_id, connection_id: this.id });
    this.send({ type: 'error', id, data: errorBody(failure, request_id) });
  }

  #refuseUnidentified(thrown: unknown): void {
    const failure = this.#owner.admission.refused(this.#req, asFailure(thrown));
    this.#owner.logRejected(this.#req, failure);
    this.#refuse(failure, this.#req.request_id);
  }

  /** Sends the error and closes: 4001 for unauthenticated callers, 1008 for violations, 1013 for errors of the platform. */
  #refuse(thrown: unknown, request_id?: string): void {
    if (this.#phase === 'closing' || this.#phase === 'closed') return;
    const known = this.#phase === 'open';
    const { code, status } = asFailure(thrown);
    // Frames are only written in phase `open`; callers who are not identified get the error too.
    this.#phase = 'open';
    this.fault(thrown, undefined, request_id);
    if (status >= 500) this.close(closeCodes.try_later, code);
    else if (known || status === 429) this.close(closeCodes.policy, code);
    else this.close(closeCodes.unauthenticated, code);
  }

  #tooSlow(): void {
    this.#outbox.clear();
    this.close(closeCodes.try_later, 'too slow');
    this.#owner.log.warn('A socket was closed: its client does not read', { member_id: this.#caller?.member_id, connection_id: this.id });
  }

  #drained(): void {
    this.#outbox.drained();
    this.flush();
  }

  #ending(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closing';
    this.#since = this.#owner.now();
    this.#release();
  }

  #closed(): void {
    this.#phase = 'closed';
    this.#release();
    this.#owner.left(this);
  }

  #release(): void {
    this.#outbox.clear();
    this.#inbox.close();
    this.#feed?.close();
    this.#device?.close();
    this.#device = undefined;
  }
}

function appliesTo(caller: Caller, { member_id, token_id }: Revocation): boolean {
  return caller.member_id === member_id && (token_id === undefined || caller.token_id === token_id);
}
