import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { fail } from '../../../contract/failure.js';
import type { Caller } from '../../../contract/operation.js';
import { Incoming, requestIds } from '../incoming.js';
import { Origins } from '../origin.js';
import { innerPair } from './inner-pair.js';
import type { Admission, Revocation } from './owner.js';
import type { Sockets, SocketsOptions } from './sockets.js';

export interface InnerDoorOptions extends Omit<SocketsOptions, 'origins' | 'admission' | 'next_id' | 'limits' | 'common'> {
  /** Name of the instance in responses. */
  instance: string;
}

/** Serves `/ws` in-process for a platform that doesn't listen, with the same frames and permissions as the local socket. */
export class InnerDoor {
  readonly #options: InnerDoorOptions;
  readonly #next_id = requestIds();
  readonly #server = createServer({ IncomingMessage: Incoming });
  #opened: Promise<Sockets> | undefined;
  #sockets: Sockets | undefined;
  #unlisten: () => Promise<void> = async () => undefined;
  #closed = false;

  constructor(options: InnerDoorOptions) {
    this.#options = options;
    this.#server.on('upgrade', (req: Incoming, socket, head) => {
      req.door = 'local';
      this.#sockets?.accept(req, socket, head);
    });
  }

  /** Opens a connection; returns the client's end, on which it upgrades to `/ws` by HTTP. Fails with `shutting_down` after `close`. */
  async connect(): Promise<Duplex> {
    if (this.#closed) throw fail('shutting_down', 'The platform is shutting down');
    this.#opened ??= this.#open().catch((fault: unknown) => {
      // The next call retries.
      this.#opened = undefined;
      throw fault;
    });
    await this.#opened;
    const [client, server] = innerPair();
    this.#server.emit('connection', server);
    return client;
  }

  isRead(topic: string): boolean {
    return this.#sockets?.isRead(topic) ?? false;
  }

  callers(): Caller[] {
    return this.#sockets?.callers() ?? [];
  }

  disconnect(ended: Revocation): void {
    this.#sockets?.disconnect(ended);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opened?.catch(() => undefined);
    await this.#sockets?.close();
    await this.#unlisten();
  }

  async #open(): Promise<Sockets> {
    const [{ Sockets }, { commonHeaders }] = await Promise.all([import('./sockets.js'), import('../responder.js')]);
    const common = commonHeaders({ base_url: undefined, instance: this.#options.instance });
    const admission: Admission = { refused: (_req, failure) => failure };
    const sockets = new Sockets({ ...this.#options, common, origins: new Origins([], undefined), admission, next_id: this.#next_id });
    this.#unlisten = await sockets.listen();
    this.#sockets = sockets;
    return sockets;
  }
}
