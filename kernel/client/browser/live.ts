import { failClient } from '../client-failure.js';
import { SentFrames } from '../sent-frames.js';
import type { SocketFrame } from '../socket-frame.js';
import { Subscriptions } from '../subscriptions.js';
import type { AccessToken } from './access-token.js';
import { type BackOff, backOff } from './back-off.js';
import type { Hints } from './hints.js';
import { defaultLimits, type LineEnd, type LineLimits, SocketLine, type WebSocketClass } from './socket-line.js';

/** State of a live connection. */
export type LineState =
  /** The first attempt, or the first one after a break. */
  | { state: 'connecting' }
  | { state: 'live' /** Whether no stored frame was missed since the last connection. */; resumed: boolean }
  /** An attempt failed. The next one is at `retry_at`, in ms since 1970. */
  | { state: 'offline'; reason: string; retry_at: number }
  /** Closed for good: by `close()` (`closed`), or because the member has to log in again. */
  | { state: 'ended'; reason: string };

export interface LiveOptions {
  /** Continue after this cursor. */
  after?: string | undefined;
  topics?: readonly string[] | undefined;
  limits?: Partial<LineLimits> | undefined;
}

/** Frames of the installation, over a connection that reconnects by itself and continues at its cursor. */
export interface Live {
  /** A new object after each change. */
  readonly state: LineState;
  /** Cursor of the last stored frame, from which another connection could continue. */
  readonly cursor: string | undefined;
  /** Calls `changed` at each change of state; returns the function that removes it. */
  watch(this: void, changed: () => void): () => void;
  /** Calls the listener for each frame; returns the function that removes it. */
  listen(this: void, listener: (frame: SocketFrame) => void): () => void;
  /** Subscribes to a topic until the returned function is called. Subscriptions are counted. */
  want(this: void, topic: string): () => void;
  /** Sends a frame; resolves with the server's `ack`. Rejects with the failure of its `error`, or with `unreachable`. */
  send(this: void, type: string, data?: object): Promise<void>;
  /** Tries again now instead of later. */
  retry(this: void): void;
  close(this: void): void;
}

interface ConnectionOptions extends LiveOptions {
  url: string;
  token: AccessToken;
  hints: Hints;
  back_off: BackOff;
  WebSocket: WebSocketClass;
}

interface Attempt extends LineEnd {
  /** Undefined if there was none. */
  token: string | undefined;
}

const broken = 1006;
const unauthenticated = 4001;
const revoked = 4003;
const revoked_wait_ms = 1_000;
/** Life of a connection after which the next break counts as the first. */
const steady_ms = 5_000;

export class LiveConnection implements Live {
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  readonly #sent = new SentFrames((reason) => failClient('unreachable', `The live connection can't be used: ${reason}`));
  readonly #subscriptions: Subscriptions;
  /** Number of subscribers by topic. */
  readonly #wanted = new Map<string, number>();
  readonly #watchers = new Set<() => void>();
  readonly #listeners = new Set<(frame: SocketFrame) => void>();
  #state: LineState = { state: 'connecting' };
  #line: SocketLine | undefined;
  #cursor: string | undefined;
  /** Attempts in a row that failed, or ended soon. */
  #failed = 0;
  #live_since = 0;
  /** Token that the server didn't accept, and why; undefined after an attempt that succeeded. */
  #refused: { token: string | undefined; reason: string } | undefined;
  /** Wakes the wait before the next attempt. */
  #wake = new AbortController();

  /** Starts to connect. */
  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#cursor = options.after;
    const topics = options.topics ?? [];
    for (const topic of topics) this.#wanted.set(topic, 1);
    this.#subscriptions = new Subscriptions(topics, (type, data) => this.send(type, data));
    void this.#run();
  }

  get state(): LineState {
    return this.#state;
  }

  get cursor(): string | undefined {
    return this.#cursor;
  }

  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  readonly listen = (listener: (frame: SocketFrame) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly want = (topic: string): (() => void) => {
    const count = this.#wanted.get(topic) ?? 0;
    this.#wanted.set(topic, count + 1);
    if (count === 0) this.#subscriptions.want([topic]);
    let isWanted = true;
    return () => {
      if (isWanted) this.#release(topic);
      isWanted = false;
    };
  };

  readonly send = (type: string, data: object = {}): Promise<void> => {
    const line = this.#line;
    if (!line?.isOpen) return Promise.reject(failClient('unreachable', "The live connection can't be used: it is not connected"));
    return this.#sent.send((text) => line.send(text), type, data);
  };

  readonly retry = (): void => {
    this.#wake.abort();
    this.#line?.check();
  };

  readonly close = (): void => {
    this.#closing.abort();
    this.#line?.close();
    this.#setState({ state: 'ended', reason: 'closed' });
  };

  #release(topic: string): void {
    const count = (this.#wanted.get(topic) ?? 1) - 1;
    if (count > 0) {
      this.#wanted.set(topic, count);
      return;
    }
    this.#wanted.delete(topic);
    this.#subscriptions.remove([topic]);
    // Without a connection there is nothing to unsubscribe from.
    this.send('unsubscribe', { topics: [topic] }).catch(() => undefined);
  }

  async #run(): Promise<void> {
    const stop = this.#options.hints.listen(() => this.#line?.check());
    while (!this.#closing.signal.aborted) {
      const end = await this.#attempt();
      if (this.#closing.signal.aborted) break;
      if (end.code !== unauthenticated && end.code !== revoked) await this.#waitAfter(end);
      else if (this.#isFinal(end)) this.#setState({ state: 'ended', reason: end.reason });
      else await this.#refuse(end);
      if (this.#state.state === 'ended') break;
    }
    stop();
  }

  /** Runs one connection until it ends. */
  async #attempt(): Promise<Attempt> {
    const { token: source, limits, WebSocket } = this.#options;
    try {
      const token = this.#refused ? await source.replace(this.#refused.token) : await source.get();
      if (token === undefined) return { code: unauthenticated, reason: this.#refused?.reason ?? 'unauthenticated', token };
      if (this.#closing.signal.aborted) return { code: broken, reason: 'closed', token };
      const end = await new Promise<LineEnd>((resolve) => {
        const handlers = { onFrame: (frame: SocketFrame) => this.#onFrame(frame), onEnd: resolve };
        this.#line = new SocketLine({ WebSocket, address: this.#address(), token, limits: { ...defaultLimits, ...limits }, ...handlers });
      });
      return { ...end, token };
    } catch (fault) {
      return { code: broken, reason: fault instanceof Error ? fault.message : String(fault), token: undefined };
    } finally {
      this.#line = undefined;
      this.#subscriptions.closed();
      this.#sent.abandon('the connection was lost');
    }
  }

  /** Returns whether another token wouldn't help, or can't be had. */
  #isFinal({ token, reason }: Attempt): boolean {
    return token === undefined || this.#refused !== undefined || reason === 'origin_refused';
  }

  /** Makes the next attempt use another token. */
  async #refuse({ token, reason }: Attempt): Promise<void> {
    this.#refused = { token, reason };
    this.#setState({ state: 'connecting' });
    // A change of the password revokes the token just before its answer brings a new one.
    if (reason === 'revoked') await this.#options.hints.wait(revoked_wait_ms, this.#closing.signal);
  }

  async #waitAfter({ reason }: Attempt): Promise<void> {
    const { hints, back_off } = this.#options;
    const wasLive = this.#state.state === 'live';
    if (wasLive && Date.now() - this.#live_since > steady_ms) this.#failed = 0;
    const wait_ms = backOff(back_off, this.#failed++);
    this.#setState(wasLive ? { state: 'connecting' } : { state: 'offline', reason, retry_at: Date.now() + wait_ms });
    this.#wake = new AbortController();
    await hints.wait(wait_ms, this.#closing.signal, this.#wake.signal);
  }

  #address(): string {
    const after = this.#cursor === undefined ? '' : `?after=${encodeURIComponent(this.#cursor)}`;
    return `${this.#options.url.replace(/^http/, 'ws')}/ws${after}`;
  }

  #onFrame(frame: SocketFrame): void {
    if (frame.cursor !== undefined) this.#cursor = frame.cursor;
    if (frame.type === 'hello') this.#onHello(frame);
    else this.#sent.take(frame);
    for (const listener of [...this.#listeners]) listener(frame);
  }

  #onHello({ data }: SocketFrame): void {
    this.#refused = undefined;
    this.#live_since = Date.now();
    this.#setState({ state: 'live', resumed: data.resumed === true });
    this.#subscriptions.opened();
  }

  #setState(state: LineState): void {
    if (this.#state.state === 'ended') return;
    this.#state = state;
    for (const changed of [...this.#watchers]) changed();
  }
}
