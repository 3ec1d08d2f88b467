import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { SocketLimits } from './limits.js';

export interface OutboxParts {
  ws: WebSocket;
  /** Underlying stream of the WebSocket. Whole frames may be written to it between the library's own. */
  socket: Duplex;
  limits: Pick<SocketLimits, 'waiting_bytes' | 'unread_bytes' | 'max_unread_bytes' | 'stalled_ms'>;
  now: () => number;
  /** Schedules `flush` at the end of this tick. */
  schedule: () => void;
}

/**
 * Queues frames for one client: one write for all frames of a tick. Frames beyond the client's buffer wait in
 * buffers shared by all sockets until the client has read what was written. The queue of ws is
 * unlimited, writes each frame separately, and encodes it for each socket (benchmark `sockets`).
 */
export class Outbox {
  readonly #parts: OutboxParts;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #isScheduled = false;
  /** Start of the time in which the client hasn't drained the socket. */
  #stalled_at: number | undefined;
  /** Start of the time in which it has been far behind. */
  #behind_at: number | undefined;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Whether to add no more frames that can wait. */
  get full(): boolean {
    return this.#unread > this.#parts.limits.waiting_bytes;
  }

  get #unread(): number {
    return this.#bytes + this.#parts.socket.writableLength;
  }

  /** Queues a whole frame; returns false if the client has far too many unread bytes. */
  add(bytes: Buffer): boolean {
    const { limits } = this.#parts;
    const unread = this.#unread;
    if (unread > limits.max_unread_bytes) return false;
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    this.#measure(unread + bytes.length);
    this.#schedule();
    return true;
  }

  /** Writes as much as the socket's buffer accepts. */
  flush(): void {
    this.#isScheduled = false;
    const { ws, socket, now } = this.#parts;
    if (ws.readyState !== ws.OPEN) this.clear();
    while (this.#waiting.length > 0 && !socket.writableNeedDrain) {
      if (!socket.write(this.#next())) this.#stalled_at ??= now();
    }
  }

  /** Writes all queued frames regardless of the buffer: nothing follows them. */
  finish(): void {
    const { ws, socket } = this.#parts;
    const waiting = this.#waiting;
    this.clear();
    if (ws.readyState !== ws.OPEN) return;
    socket.cork();
    for (const bytes of waiting) socket.write(bytes);
    socket.uncork();
  }

  /** Handles the socket's `drain`: the system has accepted all writes. */
  drained(): void {
    this.#stalled_at = undefined;
    this.#measure(this.#unread);
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
    // Otherwise `drain` triggers the write.
    if (this.#isScheduled || socket.writableNeedDrain) return;
    this.#isScheduled = true;
    schedule();
  }

  #measure(unread: number): void {
    const { limits, now } = this.#parts;
    if (unread > limits.unread_bytes) this.#behind_at ??= now();
    else this.#behind_at = undefined;
  }

  /** Takes the next frames, up to a size at which the cost of a write is mostly its bytes. */
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
