import type { Socket } from 'node:net';
import { captureContext } from '../../core/ambient.js';
import type { Outgoing } from './incoming.js';

/** Limit of pipelined requests that wait on one connection; a client that sends more is disconnected. */
const max_waiting = 100;

/**
 * Processes the requests of a connection one after the other (`slow-clients.long.test`); hapi has no limit for that. Node passes on all
 * of them at once: a client that sends many and reads no response would bypass the limits on connections, with all responses in memory.
 */
export class Pipelines {
  readonly #waiting = new WeakMap<Socket, number>();

  /** Runs the work of a request after the previous response; never if the connection closes first. */
  enter(res: Outgoing, work: () => void): void {
    // Node assigns the socket to a response when it is its turn.
    if (res.socket) {
      work();
      return;
    }
    const { socket } = res.req;
    const count = this.#add(socket, 1);
    // Restores the request's own async context: otherwise it would run in that of the previous response.
    const own = captureContext();
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
