import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { fail } from '../../../contract/failure.js';
import type { Caller } from '../../../contract/operation.js';
import { Incoming, requestIds } from '../incoming.js';
import { Origins } from '../origin.js';
import { innerPair } from './inner-pair.js';
import type { Admission, Ended } from './owner.js';
import type { Sockets, SocketsOptions } from './sockets.js';

export interface InnerDoorOptions extends Omit<SocketsOptions, 'origins' | 'admission' | 'next_id' | 'limits' | 'common'> {
  /** Who answers. */
  instance: string;
}

/** `/ws` of a platform that listens nowhere, for its own process: the same frames with the same rights as over the local socket. */
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

  /** The client's end of a new connection, on which it asks for `/ws` by HTTP. Fails with `shutting_down` once it is closed. */
  async connect(): Promise<Duplex> {
    if (this.#closed) throw fail('shutting_down', 'The platform is shutting down');
    this.#opened ??= this.#open().catch((fault: unknown) => {
      // Whoever comes next tries again.
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

  disconnect(ended: Ended): void {
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
