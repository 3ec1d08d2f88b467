import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { SocketLimits } from './limits.js';

export interface OutboxParts {
  ws: WebSocket;
  /** What the WebSocket runs on. Whole frames may be written to it between the library's own. */
  socket: Duplex;
  limits: Pick<SocketLimits, 'waiting_bytes' | 'unread_bytes' | 'stalled_ms'>;
  now: () => number;
  /** Has `flush` called at the end of this tick. */
  schedule: () => void;
}

/** Frames on their way to one client: one write for all that come in a tick, and no more than a bounded buffer of them. */
export class Outbox {
  readonly #parts: OutboxParts;
  #waiting: Buffer[] = [];
  #bytes = 0;
  /** Since when the client leaves something unread. */
  #stalled_at: number | undefined;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Whether nothing more shall be added that can wait. */
  get full(): boolean {
    return this.#parts.socket.writableLength > this.#parts.limits.waiting_bytes;
  }

  /** Takes a whole frame; false where the client has left too much unread. */
  add(bytes: Buffer): boolean {
    const { socket, limits, schedule } = this.#parts;
    if (socket.writableLength > limits.unread_bytes) return false;
    if (this.#waiting.length === 0) schedule();
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes > limits.waiting_bytes) this.flush();
    return true;
  }

  flush(): void {
    const { ws, socket, now } = this.#parts;
    const waiting = this.#waiting;
    this.clear();
    if (waiting.length === 0 || ws.readyState !== ws.OPEN) return;
    const wrote = socket.write(waiting.length === 1 ? (waiting[0] as Buffer) : Buffer.concat(waiting));
    if (!wrote) this.#stalled_at ??= now();
  }

  /** All that was written has been taken by the system. */
  drained(): void {
    this.#stalled_at = undefined;
  }

  isStalled(now: number): boolean {
    return this.#stalled_at !== undefined && now - this.#stalled_at >= this.#parts.limits.stalled_ms;
  }

  clear(): void {
    this.#waiting = [];
    this.#bytes = 0;
  }
}
