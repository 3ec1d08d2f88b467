import type { Socket } from 'node:net';

/** What waits for its reader, and since when it has been as much. */
interface Unread {
  bytes: number;
  since: number;
}

/**
 * Cuts the connections whose clients leave an answer unread. A time-out of the socket doesn't: each byte that such a client
 * sends begins it anew.
 */
export class UnreadSockets {
  readonly #sockets: Iterable<Socket>;
  readonly #stalled_ms: number;
  readonly #timer: NodeJS.Timeout;
  readonly #unread = new WeakMap<Socket, Unread>();

  constructor(sockets: Iterable<Socket>, { stalled_ms, check_ms }: { stalled_ms: number; check_ms: number }) {
    this.#sockets = sockets;
    this.#stalled_ms = stalled_ms;
    this.#timer = setInterval(() => this.#look(), check_ms).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    for (const socket of this.#sockets) {
      const bytes = unreadOf(socket);
      const { bytes: before, since } = this.#unread.get(socket) ?? { bytes: 0, since: now };
      if (bytes !== before) this.#unread.set(socket, { bytes, since: now });
      else if (bytes > 0 && now - since >= this.#stalled_ms) socket.destroy();
    }
  }
}

/** Bytes that the system has not taken yet. Of one large write Node itself tells no more than that it is not done. */
function unreadOf(socket: Socket): number {
  return (socket as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;
}
