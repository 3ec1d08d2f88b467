import { connect as connectTo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientOptions, WebSocket } from 'ws';
import type { Failure } from '../contract/failure.js';
import { failClient } from './client-failure.js';
import { SentFrames } from './sent-frames.js';
import type { SocketFrame } from './socket-frame.js';
import { Subscriptions } from './subscriptions.js';

/** State of the connection. */
export type SocketState =
  | { state: 'open' /** Whether no stored frame was missed since the last connection. */; resumed: boolean }
  /** Waits for the next retry. */
  | { state: 'waiting'; reason: string }
  /** Closed for good: `close()` was called, or the token is no longer valid. */
  | { state: 'closed'; reason: string };

export interface SocketOptions {
  /** Address of the server, without `/ws`. */
  url: string;
  /** Returns the `Authorization` header, called for each connection so that it can be fresh. After two refusals in a row the client gives up. */
  authorization: () => string | Promise<string>;
  /** Replaces the address's host: a Unix socket, or a function that opens a stream for each connection. */
  socket?: string | (() => Promise<Duplex>) | undefined;
  /** Continue after this cursor. */
  after?: string | undefined;
  topics?: readonly string[] | undefined;
  onFrame: (frame: SocketFrame) => void;
  onState?: ((state: SocketState) => void) | undefined;
  /** First wait before a retry. Default 250, doubled each time up to 10,000. */
  wait_ms?: number | undefined;
}

const max_wait_ms = 10_000;
const handshake_ms = 10_000;
/** Limit of silence: the server pings every 30 s, so a longer silence means a dead connection. */
const silence_ms = 75_000;
const unauthenticated = 4001;
const revoked = 4003;

/** A WebSocket that reconnects after each drop and resumes after its cursor. */
export class SocketClient {
  readonly #options: SocketOptions;
  readonly #abort = new AbortController();
  readonly #sent = new SentFrames((reason) => this.#unreachable(reason));
  readonly #subscriptions: Subscriptions;
  readonly #ended: Promise<void>;
  #ws: WebSocket | undefined;
  #open = false;
  #cursor: string | undefined;
  #failed = 0;
  /** Whether the last attempt was refused; its authorization may just have expired. */
  #refused = false;

  /** Starts to connect. */
  constructor(options: SocketOptions) {
    this.#options = options;
    this.#cursor = options.after;
    this.#subscriptions = new Subscriptions(options.topics ?? [], (type, data) => this.send(type, data));
    this.#ended = this.#run();
  }

  /** Cursor of the last stored frame, from which another client could resume. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** Sends a frame; resolves with the server's `ack`. Rejects with the failure of its `error`, or with `unreachable`. */
  send(type: string, data: object = {}): Promise<void> {
    const ws = this.#ws;
    if (!ws || !this.#open) return Promise.reject(this.#unreachable('it is not connected'));
    return this.#sent.send((text) => ws.send(text), type, data);
  }

  /** Subscribes now and after each reconnect. */
  async subscribe(topics: readonly string[]): Promise<void> {
    await this.send('subscribe', { topics });
    this.#subscriptions.add(topics);
  }

  /** Subscribes to all permitted topics now and after each reconnect; ignores the others. */
  want(topics: readonly string[]): void {
    this.#subscriptions.want(topics);
  }

  async unsubscribe(topics: readonly string[]): Promise<void> {
    this.#subscriptions.remove(topics);
    await this.send('unsubscribe', { topics });
  }

  async close(): Promise<void> {
    this.#abort.abort();
    this.#ws?.close();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const { wait_ms = 250 } = this.#options;
    let reason = 'closed';
    while (!signal.aborted) {
      const end = await this.#connection().catch((fault: unknown) => ({ code: 1006, reason: messageOf(fault) }));
      reason = end.reason || `closed with ${end.code}`;
      if (this.#isFinal(end) || signal.aborted) break;
      this.#reportState({ state: 'waiting', reason });
      const wait = Math.min(wait_ms * 2 ** this.#failed++, max_wait_ms);
      // Jitter, so that the clients of a restarted server don't reconnect at the same moment.
      await sleep(wait * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
    }
    this.#reportState({ state: 'closed', reason: signal.aborted ? 'closed' : reason });
  }

  /** Returns whether a retry would fail too. After an expiry it may succeed, because the authorization is fetched again. */
  #isFinal({ code, reason }: { code: number; reason: string }): boolean {
    const refusedBefore = this.#refused;
    this.#refused = code === unauthenticated;
    return code === revoked ? reason !== 'expired' : this.#refused && refusedBefore;
  }

  /** Runs one connection until it closes. */
  async #connection(): Promise<{ code: number; reason: string }> {
    const [{ WebSocket }, authorization] = await Promise.all([import('ws'), this.#options.authorization()]);
    const stream = await this.#stream();
    if (this.#abort.signal.aborted) {
      stream?.destroy();
      return { code: 1000, reason: 'closed' };
    }
    const ws = new WebSocket(this.#address(), optionsOf(authorization, stream));
    this.#ws = ws;
    const silence = setTimeout(() => ws.terminate(), silence_ms);
    ws.on('ping', () => silence.refresh());
    ws.on('message', (data) => {
      silence.refresh();
      this.#onFrame(JSON.parse(String(data)) as SocketFrame);
    });
    let fault = '';
    ws.on('error', ({ message }) => (fault = message));
    const [code, reason] = await new Promise<[number, Buffer]>((resolve) => ws.on('close', (...end) => resolve(end)));
    clearTimeout(silence);
    this.#open = false;
    this.#subscriptions.closed();
    this.#sent.abandon('the connection was lost');
    return { code, reason: String(reason) || fault };
  }

  /** Opens the stream for a connection; undefined to connect to the address's host. */
  async #stream(): Promise<Duplex | undefined> {
    const { socket } = this.#options;
    return typeof socket === 'string' ? connectTo(socket) : socket?.();
  }

  #address(): URL {
    const address = new URL(this.#options.url.replace(/^http/, 'ws'));
    address.pathname = `${address.pathname.replace(/\/$/, '')}/ws`;
    if (this.#cursor !== undefined) address.searchParams.set('after', this.#cursor);
    return address;
  }

  #onFrame(frame: SocketFrame): void {
    if (frame.cursor !== undefined) this.#cursor = frame.cursor;
    if (frame.type === 'hello') this.#onHello(frame);
    else this.#sent.take(frame);
    this.#options.onFrame(frame);
  }

  #onHello({ data }: SocketFrame): void {
    this.#open = true;
    this.#failed = 0;
    this.#refused = false;
    this.#reportState({ state: 'open', resumed: data.resumed === true });
    this.#subscriptions.opened();
  }

  #reportState(state: SocketState): void {
    this.#options.onState?.(state);
  }

  #unreachable(reason: string): Failure {
    return failClient('unreachable', `The socket of ${this.#options.url} can't be used: ${reason}`);
  }
}

function optionsOf(authorization: string, stream: Duplex | undefined): ClientOptions {
  const common = { headers: { authorization }, handshakeTimeout: handshake_ms, perMessageDeflate: false } as const;
  return stream === undefined ? common : { ...common, createConnection: (() => stream) as never };
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
