import { chmod, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type ListenOptions, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../contract/extension.js';
import { failures } from '../../contract/failure.js';
import type { Front } from './front.js';
import { LocalKey } from './local.js';
import { UnreadSockets } from './unread-sockets.js';

const fail = failures({ port_in_use: 503, port_forbidden: 503, address_unavailable: 503 });

export interface DoorsConfig {
  host: string;
  port: number;
  local?: { path: string; key: string } | undefined;
}

export interface Listening {
  url: string;
  host: string;
  port: number;
}

/** Limit of a Unix socket's path: 108 bytes including the terminator. A longer one would be truncated. */
const max_socket_path = 107;

/** Grace period of idle connections after the listeners close: a request may be in transit. */
const idle_ms = 100;

/** The listeners: one for TCP, and optionally a local socket. */
export class Doors {
  readonly #front: Front;
  readonly #config: DoorsConfig;
  readonly #log: Log;
  readonly #open: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #unread: UnreadSockets;
  #closing: Promise<true> | undefined;
  #shut_at = 0;

  constructor(front: Front, config: DoorsConfig, log: Log) {
    this.#front = front;
    this.#config = config;
    this.#log = log;
    this.#unread = new UnreadSockets(this.#sockets, front.limits);
  }

  async open(): Promise<Listening> {
    const { host, port, local } = this.#config;
    const server = this.#watched(this.#front.createServer());
    try {
      await listen(server, { host, port });
    } catch (fault) {
      throw refusal(fault as NodeJS.ErrnoException, this.#config);
    }
    this.#open.push(server);
    if (local) await this.#openLocal(local);
    const bound = (server.address() as { port: number }).port;
    return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, host, port: bound };
  }

  /**
   * Stops accepting connections. Open ones are served, each until its next response; requests in transit
   * have arrived when this resolves.
   */
  async shut(): Promise<void> {
    if (!this.#closing) {
      this.#shut_at = Date.now();
      this.#closing = Promise.all(this.#open.map(stopListening)).then(() => true as const);
    }
    await Promise.race([this.#closing, sleep(Math.max(0, this.#shut_at + idle_ms - Date.now()))]);
  }

  /** Closes all connections, after the deadline by force. */
  async close(deadline_ms: number): Promise<void> {
    await this.shut();
    const closed = this.#closing ?? Promise.resolve(true);
    const deadline = Date.now() + deadline_ms;
    while (Date.now() < deadline && !(await Promise.race([closed, sleep(20, false)]))) {
      if (Date.now() - this.#shut_at >= idle_ms) this.#closeIdle();
    }
    for (const server of this.#open) server.closeAllConnections();
    await closed;
    // Also stops the server's timer.
    for (const server of this.#open) server.close();
    this.#unread.close();
  }

  #closeIdle(): void {
    for (const server of this.#open) server.closeIdleConnections();
    // Browsers open connections in advance; Node doesn't count a connection without any data as idle.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  #watched(server: Server): Server {
    return server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  async #openLocal({ path, key }: { path: string; key: string }): Promise<void> {
    if (Buffer.byteLength(path) > max_socket_path) {
      this.#log.warn('The local socket is disabled: its path is too long', { path, max: max_socket_path });
      return;
    }
    const server = this.#watched(this.#front.createServer(new LocalKey(key)));
    // Remove the socket of a killed server: the lock on the data folder proves that nobody listens there.
    await rm(path, { force: true });
    await listen(server, { path });
    await chmod(path, 0o600);
    this.#open.push(server);
  }
}

function listen(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...where, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Closes only the listener: the HTTP server's own `close` would cut idle connections, and with them requests in transit. */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
}

function refusal(fault: NodeJS.ErrnoException, { host, port }: DoorsConfig): Error {
  const cause = { cause: fault };
  switch (fault.code) {
    case 'EADDRINUSE':
      return fail('port_in_use', `Port ${port} of ${host} is in use by another program: choose another one (PLATFORM_PORT)`, cause);
    case 'EACCES':
      return fail('port_forbidden', `This user has no permission for port ${port}: choose one above 1023 (PLATFORM_PORT)`, cause);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return fail('address_unavailable', `${host} is not an address of this machine (PLATFORM_HOST)`, cause);
    default:
      return fault;
  }
}
