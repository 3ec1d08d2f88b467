import type { SocketFrame } from '../socket-frame.js';

/** Parts of the browser's `WebSocket` that are used. */
export interface BrowserSocket {
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
  send(text: string): void;
  close(): void;
}

export type WebSocketClass = new (address: string) => BrowserSocket;

/** Time limits of a connection, in ms. */
export interface LineLimits {
  /** Limit of the wait for `hello`. Default 10,000. */
  connect_ms: number;
  /** Silence after which the line is checked. Default 30,000. */
  silence_ms: number;
  /** Limit of the wait for the answer to a check. Default 10,000. */
  answer_ms: number;
  /** The same after a hint or a sleep, when a person may be looking. Default 4,000. */
  hurried_ms: number;
}

export const defaultLimits: LineLimits = { connect_ms: 10_000, silence_ms: 30_000, answer_ms: 10_000, hurried_ms: 4_000 };

export interface LineEnd {
  code: number;
  reason: string;
}

export interface LineOptions {
  WebSocket: WebSocketClass;
  address: string;
  token: string;
  limits: LineLimits;
  onFrame: (frame: SocketFrame) => void;
  /** Called once. */
  onEnd: (end: LineEnd) => void;
}

const broken = 1006;
/** Delay of a timer that means that the machine slept. */
const slept_ms = 5_000;

/**
 * One connection to `/ws`. It authenticates by its first frame, because browsers can't send headers and addresses are logged. It checks a
 * silent server by itself: browsers notice a dead connection only after minutes, and pages don't see the server's pings.
 */
export class SocketLine {
  readonly #options: LineOptions;
  readonly #socket: BrowserSocket;
  #phase: 'connecting' | 'open' | 'ended' = 'connecting';
  #heard_at = Date.now();
  #isChecking = false;
  #timer: ReturnType<typeof setTimeout>;

  constructor(options: LineOptions) {
    const { WebSocket, address, token, limits } = options;
    this.#options = options;
    this.#socket = new WebSocket(address);
    this.#timer = setTimeout(() => this.#cut('no answer'), limits.connect_ms);
    this.#socket.addEventListener('open', () => this.#post({ type: 'auth', token }));
    this.#socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(String(data)) as SocketFrame));
    this.#socket.addEventListener('close', ({ code, reason }) => this.#end({ code, reason: reason || `closed with ${code}` }));
    // `close` follows. Without a listener Node's WebSocket would throw.
    this.#socket.addEventListener('error', () => undefined);
  }

  get isOpen(): boolean {
    return this.#phase === 'open';
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  /** Checks at once whether the line is alive. */
  check(): void {
    if (this.#phase === 'open' && !this.#isChecking) this.#check(this.#options.limits.hurried_ms);
  }

  close(): void {
    this.#cut('closed');
  }

  #post(frame: object): void {
    if (this.#phase !== 'ended') this.#socket.send(JSON.stringify(frame));
  }

  #take(frame: SocketFrame): void {
    if (this.#phase === 'ended') return;
    this.#heard_at = Date.now();
    if (frame.type === 'hello') this.#phase = 'open';
    if (frame.type === 'hello' || this.#isChecking) this.#watch();
    this.#options.onFrame(frame);
  }

  /** Checks the line when it has been silent for some time. Frames don't restart the timer. */
  #watch(): void {
    clearTimeout(this.#timer);
    this.#isChecking = false;
    const { silence_ms, answer_ms, hurried_ms } = this.#options.limits;
    const due = this.#heard_at + silence_ms;
    this.#timer = setTimeout(
      () => {
        if (this.#heard_at + silence_ms > due) this.#watch();
        else this.#check(Date.now() - due > slept_ms ? hurried_ms : answer_ms);
      },
      Math.max(0, due - Date.now()),
    );
  }

  /** Asks for a sign of life. Ends the line if none comes. */
  #check(limit_ms: number): void {
    clearTimeout(this.#timer);
    this.#isChecking = true;
    this.#post({ type: 'ping' });
    this.#timer = setTimeout(() => this.#cut('no answer'), limit_ms);
  }

  /** Ends the line without waiting for the browser, whose closing handshake takes as long as a dead connection does. */
  #cut(reason: string): void {
    this.#socket.close();
    this.#end({ code: broken, reason });
  }

  #end(end: LineEnd): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    clearTimeout(this.#timer);
    this.#options.onEnd(end);
  }
}
