import type { Socket } from 'node:net';

/** Unread bytes of a socket, and the time of their last change. */
interface Unread {
  bytes: number;
  since: number;
}

/**
 * Disconnects clients that don't read their response. A socket timeout can't do that: each byte that such a client
 * sends restarts it.
 */
export class UnreadSockets {
  readonly #sockets: Iterable<Socket>;
  readonly #stalled_ms: number;
  readonly #timer: NodeJS.Timeout;
  readonly #unread = new WeakMap<Socket, Unread>();

  constructor(sockets: Iterable<Socket>, { stalled_ms, check_ms }: { stalled_ms: number; check_ms: number }) {
    this.#sockets = sockets;
    this.#stalled_ms = stalled_ms;
    this.#timer = setInterval(() => this.#check(), check_ms).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const socket of this.#sockets) {
      const bytes = unreadOf(socket);
      const { bytes: before, since } = this.#unread.get(socket) ?? { bytes: 0, since: now };
      if (bytes !== before) this.#unread.set(socket, { bytes, since: now });
      else if (bytes > 0 && now - since >= this.#stalled_ms) socket.destroy();
    }
  }
}

/** Returns the bytes that the system has not accepted yet. For one large write, Node's public API only reports that it is pending. */
function unreadOf(socket: Socket): number {
  return (socket as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;
}
