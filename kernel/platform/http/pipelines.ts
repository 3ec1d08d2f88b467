import type { Socket } from 'node:net';
import { kept } from '../../core/ambient.js';
import type { Outgoing } from './incoming.js';

/** So many requests may wait on one connection for the answers before theirs; whoever sends more is cut off. */
const max_waiting = 100;

/**
 * Has the requests of a connection done one after the other (`slow-clients.long.test`); hapi has no limit for that. Node hands on all that have come: a client that sends many and
 * reads no answer would have all of them done at once, and their answers held in memory, past every limit on connections.
 */
export class Pipelines {
  readonly #waiting = new WeakMap<Socket, number>();

  /** Does the work of a request when the one before it is answered; never where the connection ends before. */
  enter(res: Outgoing, work: () => void): void {
    // Node gives a response the socket when its turn has come.
    if (res.socket) {
      work();
      return;
    }
    const { socket } = res.req;
    const count = this.#add(socket, 1);
    // Otherwise it would be done as part of whatever ended the answer before it: another's request, or its transaction.
    const own = kept();
    res.once('socket', () => {
      this.#add(socket, -1);
      if (!socket.destroyed) own(work);
    });
    if (count > max_waiting) socket.destroy();
  }

  #add(socket: Socket, change: number): number {
    const count = (this.#waiting.get(socket) ?? 0) + change;
    this.#waiting.set(socket, count);
    return count;
  }
}
