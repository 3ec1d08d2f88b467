import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { SocketLimits } from './limits.js';

export interface OutboxParts {
  ws: WebSocket;
  /** What the WebSocket runs on. Whole frames may be written to it between the library's own. */
  socket: Duplex;
  limits: Pick<SocketLimits, 'waiting_bytes' | 'unread_bytes' | 'max_unread_bytes' | 'stalled_ms'>;
  now: () => number;
  /** Has `flush` called at the end of this tick. */
  schedule: () => void;
}

/**
 * Frames on their way to one client: one write for all that come in a tick. What is more than the client has
 * room for waits as it is, in pieces that all sockets share, until the client has read what was written. The queue of ws
 * has no bound, writes each frame by itself, and makes its bytes anew for each socket (benchmark `sockets`).
 */
export class Outbox {
  readonly #parts: OutboxParts;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #isScheduled = false;
  /** Since when the client leaves something unread. */
  #stalled_at: number | undefined;
  /** Since when it leaves a lot unread. */
  #behind_at: number | undefined;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Whether nothing more shall be added that can wait. */
  get full(): boolean {
    return this.#unread > this.#parts.limits.waiting_bytes;
  }

  get #unread(): number {
    return this.#bytes + this.#parts.socket.writableLength;
  }

  /** Takes a whole frame; false where the client has left far too much unread. */
  add(bytes: Buffer): boolean {
    const { limits } = this.#parts;
    if (this.#unread > limits.max_unread_bytes) return false;
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    this.#measure();
    this.#schedule();
    return true;
  }

  /** Writes as much as the client has room for. */
  flush(): void {
    this.#isScheduled = false;
    const { ws, socket, now } = this.#parts;
    if (ws.readyState !== ws.OPEN) this.clear();
    while (this.#waiting.length > 0 && !socket.writableNeedDrain) {
      if (!socket.write(this.#next())) this.#stalled_at ??= now();
    }
  }

  /** Writes all that waits, whether there is room or not: nothing comes after it. */
  finish(): void {
    const { ws, socket } = this.#parts;
    const waiting = this.#waiting;
    this.clear();
    if (ws.readyState !== ws.OPEN) return;
    socket.cork();
    for (const bytes of waiting) socket.write(bytes);
    socket.uncork();
  }

  /** All that was written has been taken by the system. */
  drained(): void {
    this.#stalled_at = undefined;
    this.#measure();
  }

  isStalled(now: number): boolean {
    const since = Math.min(this.#stalled_at ?? Number.POSITIVE_INFINITY, this.#behind_at ?? Number.POSITIVE_INFINITY);
    return now - since >= this.#parts.limits.stalled_ms;
  }

  clear(): void {
    this.#waiting = [];
    this.#bytes = 0;
  }

  #schedule(): void {
    const { socket, schedule } = this.#parts;
    // Else it is written once there is room.
    if (this.#isScheduled || socket.writableNeedDrain) return;
    this.#isScheduled = true;
    schedule();
  }

  #measure(): void {
    const { limits, now } = this.#parts;
    if (this.#unread > limits.unread_bytes) this.#behind_at ??= now();
    else this.#behind_at = undefined;
  }

  /** What comes first, up to a size at which one write costs little more than its bytes. */
  #next(): Buffer {
    const { waiting_bytes } = this.#parts.limits;
    let bytes = 0;
    let count = 0;
    for (; count < this.#waiting.length && bytes < waiting_bytes; count += 1) bytes += (this.#waiting[count] as Buffer).length;
    this.#bytes -= bytes;
    const next = this.#waiting.splice(0, count);
    return next.length === 1 ? (next[0] as Buffer) : Buffer.concat(next, bytes);
  }
}
