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

/** What the kernel lets the system cut off: the path of a Unix socket has 108 bytes, its end included. */
const max_socket_path = 107;

/** So long an idle connection may still be used once nothing new is taken: a request may be on its way. */
const idle_ms = 100;

/** The listening sockets: one for TCP, and where it is wanted one for this machine alone. */
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
   * Takes no new connection. Those that are open serve on, each until its next answer; what was on its
   * way has come when this has ended.
   */
  async shut(): Promise<void> {
    if (!this.#closing) {
      this.#shut_at = Date.now();
      this.#closing = Promise.all(this.#open.map(stopListening)).then(() => true as const);
    }
    await Promise.race([this.#closing, sleep(Math.max(0, this.#shut_at + idle_ms - Date.now()))]);
  }

  /** Gives each connection until the deadline to end by itself. */
  async close(deadline_ms: number): Promise<void> {
    await this.shut();
    const closed = this.#closing ?? Promise.resolve(true);
    const deadline = Date.now() + deadline_ms;
    while (Date.now() < deadline && !(await Promise.race([closed, sleep(20, false)]))) {
      if (Date.now() - this.#shut_at >= idle_ms) this.#closeIdle();
    }
    for (const server of this.#open) server.closeAllConnections();
    await closed;
    // Ends what else the server has: its timer.
    for (const server of this.#open) server.close();
    this.#unread.close();
  }

  #closeIdle(): void {
    for (const server of this.#open) server.closeIdleConnections();
    // Browsers open connections in advance; Node doesn't count as idle what has never said anything.
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
      this.#log.warn('No local socket: its path would be too long', { path, max: max_socket_path });
      return;
    }
    const server = this.#watched(this.#front.createServer(new LocalKey(key)));
    // One that a killed server left: the lock on the data folder proves that nobody listens there.
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

/** The HTTP server's own `close` would cut idle connections, and with them requests that are on their way. */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
}

function refusal(fault: NodeJS.ErrnoException, { host, port }: DoorsConfig): Error {
  const cause = { cause: fault };
  switch (fault.code) {
    case 'EADDRINUSE':
      return fail('port_in_use', `Port ${port} of ${host} is used by another program: choose another one (PLATFORM_PORT)`, cause);
    case 'EACCES':
      return fail('port_forbidden', `Port ${port} may not be used by this user: choose one from 1024 on (PLATFORM_PORT)`, cause);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return fail('address_unavailable', `${host} is no address of this machine (PLATFORM_HOST)`, cause);
    default:
      return fault;
  }
}
