import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { fail as failCore } from '../../../contract/failure.js';
import type { Entry } from '../../../contract/journal.js';
import { networkOf } from '../../../contract/network.js';
import type { Caller } from '../../../contract/operation.js';
import { Bucket } from '../../../core/limits/bucket.js';
import { memberTopic } from '../../journal/pusher.js';
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
import type { ConnectionOwner, Ended } from './owner.js';

/**
 * - `identifying`: it is found out who it is, by the request or by the first frame.
 * - `unknown`: the first frame is waited for.
 */
type Phase = 'identifying' | 'unknown' | 'open' | 'closing' | 'closed';

/** One client at `/ws`. */
export class Connection {
  readonly id = randomUUID();
  /** By what it is counted until it is known who it is. */
  readonly network: string;
  /** What it has subscribed to. */
  readonly topics = new Set<string>();
  readonly #ws: WebSocket;
  readonly #req: Incoming;
  readonly #owner: ConnectionOwner;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #bucket: Bucket;
  /** Whose tokens were ended while it was found out who this is. */
  readonly #ended: Ended[] = [];
  #phase: Phase = 'identifying';
  #caller: Caller | undefined;
  #after: string | undefined;
  #feed: Feed | undefined;
  #device: Device | undefined;
  /** When it began to be what it is: for limits of time. */
  #since: number;
  #heard_at: number;
  #pinged_at: number;

  constructor({ ws, socket, req }: { ws: WebSocket; socket: Duplex; req: Incoming }, owner: ConnectionOwner) {
    this.#ws = ws;
    this.#req = req;
    this.#owner = owner;
    this.network = networkOf(req.address);
    const now = owner.now();
    this.#since = this.#heard_at = this.#pinged_at = now;
    const schedule = () => owner.schedule(this);
    this.#outbox = new Outbox({ ws, socket, limits: owner.limits, now: () => owner.now(), schedule });
    this.#bucket = new Bucket(owner.limits.frames_per_second, now);
    this.#inbox = new Inbox(owner.limits.inbox_bytes, (text) => this.#handle(text));
    ws.on('message', (data, isBinary) => this.#message(data, isBinary));
    ws.on('ping', () => this.#hear());
    ws.on('pong', () => this.#hear());
    // What broke the protocol or a limit: the library closes with the code that belongs to it.
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

  /** Finds out who it is. */
  async identify(): Promise<void> {
    try {
      this.#checkOrigin(this.#req);
      const query = queryOf(this.#req);
      this.#after = query.after;
      const caller = await callerOf(this.#req, query, this.#owner.authenticator);
      if (caller) await this.#welcome(caller);
      else this.#await();
    } catch (thrown) {
      this.#refuseStranger(thrown);
    }
  }

  /** Ends it where it is meant. */
  revoke(ended: Ended): void {
    if (this.#phase === 'identifying' || this.#phase === 'unknown') this.#ended.push(ended);
    else if (this.#caller && isMeant(this.#caller, ended)) this.close(closeCodes.revoked, 'revoked');
  }

  /** Writes a whole frame, at the end of this tick together with what else comes in it. */
  write(bytes: Buffer): void {
    if (this.#phase === 'open' && !this.#outbox.add(bytes)) this.#tooSlow();
  }

  flush(): void {
    this.#outbox.flush();
    if (!this.#outbox.full) this.#feed?.resume();
  }

  /** A frame for this socket alone. */
  send(frame: { type: string; data: object; id?: string | number | undefined; cursor?: string }): void {
    this.write(textFrame(JSON.stringify({ ...frame, ts: this.#owner.iso() })));
  }

  close(code: number, reason: string): void {
    if (this.#phase === 'closing' || this.#phase === 'closed') return;
    this.#outbox.finish();
    this.#ending();
    this.#ws.close(code, reason);
  }

  /** Looks after the clock. */
  tick(now: number): void {
    const { auth_ms, ending_ms } = this.#owner.limits;
    const age = now - this.#since;
    if (this.#phase === 'open') this.#look(now);
    else if (this.#phase === 'closing' && age >= ending_ms) this.#ws.terminate();
    else if (this.#phase !== 'closing' && age >= auth_ms) this.#refuse(failCore('unauthenticated', 'Nothing said in time who this is'));
  }

  terminate(): void {
    this.#ws.terminate();
  }

  #look(now: number): void {
    const { heartbeat_ms, silent_ms } = this.#owner.limits;
    const { expires_at } = this.#caller as Caller;
    if (expires_at !== 0 && now >= expires_at) this.close(closeCodes.revoked, 'expired');
    else if (now - this.#heard_at >= silent_ms) this.close(closeCodes.going_away, 'silent');
    else if (this.#outbox.isStalled(now)) this.#tooSlow();
    else if (now - this.#pinged_at >= heartbeat_ms) this.#ping(now);
  }

  #ping(now: number): void {
    this.#pinged_at = now;
    this.write(pingFrame);
  }

  /** Browsers apply no same-origin rule to sockets. */
  #checkOrigin({ headers: { origin, host } }: Incoming): void {
    if (this.#owner.origins.allows(origin, host)) return;
    throw fail('origin_refused', 'Pages of this origin may not open a socket here; an administrator can allow it (PLATFORM_CORS_ORIGINS)');
  }

  #await(): void {
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
    // What was ended while the token was looked up; from here on an end closes the socket at once.
    if (this.#ended.some((ended) => isMeant(caller, ended))) {
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
        entry: (entry: Entry) => this.write(this.#owner.bytesOf(entry)),
        gap: (cursor) => this.#resync(cursor),
        get full() {
          return outbox.full;
        },
      });
    } catch (thrown) {
      this.#refuse(thrown);
    }
  }

  #hear(): boolean {
    const now = this.#owner.now();
    this.#heard_at = now;
    if (this.#bucket.take(now)) return true;
    const { frames_per_second } = this.#owner.limits;
    this.#refuse(fail('too_many_frames', `A socket may send ${frames_per_second} frames a second`));
    return false;
  }

  #message(data: RawData, isBinary: boolean): void {
    if (this.#phase === 'closing' || this.#phase === 'closed' || !this.#hear()) return;
    const bytes = data as Buffer;
    if (this.#phase === 'unknown') void this.#first(bytes, isBinary);
    else if (isBinary) this.fault(fail('malformed_frame', 'Frames are JSON in text frames, not binary ones'), undefined);
    else if (!this.#inbox.add(bytes.toString(), bytes.length)) this.#refuse(fail('too_many_frames', 'Too much waits for an earlier frame'));
  }

  /** The first frame of a client whose request didn't say who it is. */
  async #first(bytes: Buffer, isBinary: boolean): Promise<void> {
    this.#phase = 'identifying';
    try {
      const { type, token } = readFrame(isBinary ? '' : bytes.toString());
      if (type !== 'auth') throw failCore('unauthenticated', "The first frame must be of the type 'auth', with a token");
      await this.#welcome(await callerOfToken(this.#req, token, this.#owner.authenticator));
    } catch (thrown) {
      this.#refuseStranger(thrown);
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

  /** Tells the client what was wrong. */
  fault(thrown: unknown, id: string | number | undefined, request_id = this.#owner.nextId()): void {
    const failure = asFailure(thrown);
    this.#owner.report(failure, { request_id, member_id: this.#caller?.member_id, connection_id: this.id });
    this.send({ type: 'error', id, data: errorBody(failure, request_id) });
  }

  #refuseStranger(thrown: unknown): void {
    const failure = this.#owner.admission.refused(this.#req, asFailure(thrown));
    this.#owner.notLetIn(this.#req, failure);
    this.#refuse(failure, this.#req.request_id);
  }

  /** Tells why, and closes: who isn't known by 4001, who breaks the rules by 1008, whom the platform fails by 1013. */
  #refuse(thrown: unknown, request_id?: string): void {
    if (this.#phase === 'closing' || this.#phase === 'closed') return;
    const known = this.#phase === 'open';
    const { code, status } = asFailure(thrown);
    // Who isn't known yet is told as well.
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

function isMeant(caller: Caller, { member_id, token_id }: Ended): boolean {
  return caller.member_id === member_id && (token_id === undefined || caller.token_id === token_id);
}
