import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const connect_ms = 2_000;

/**
 * A balancer before several instances: one request after the other goes to the next of them in turn, each on a
 * connection of its own, sockets too. An instance that takes no connection is passed over.
 */
export class Balancer {
  readonly #server: Server;
  readonly #ports: number[];
  readonly #open = new Set<Duplex>();
  readonly #met = new Map<string, number>();
  #turn = 0;

  private constructor(urls: readonly string[]) {
    this.#ports = urls.map(portOf);
    this.#server = createServer((req, res) => void this.#pass(req, res));
    // Without keep-alive, or a client would stay with one of them.
    this.#server.maxRequestsPerSocket = 1;
    this.#server.on('connection', (socket) => this.#keep(socket));
    this.#server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => void this.#upgrade(req, socket, head));
  }

  /** Listens on a free port of the loopback. */
  static async start(urls: readonly string[]): Promise<Balancer> {
    const balancer = new Balancer(urls);
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How many answers came from each instance, by its name in `X-Instance`. */
  get met(): ReadonlyMap<string, number> {
    return this.#met;
  }

  /** One more instance. */
  add(url: string): void {
    this.#ports.push(portOf(url));
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const socket = await this.#next();
    if (!socket) return void res.writeHead(502).end();
    const headers = { ...req.headers, connection: 'close', 'x-forwarded-for': req.socket.remoteAddress ?? '' };
    const asked = request({ method: req.method ?? 'GET', path: req.url ?? '/', headers, createConnection: () => socket });
    const cut = () => {
      socket.destroy();
      res.destroy();
    };
    asked.on('error', cut).on('response', (answer) => this.#answer(answer, res, cut));
    // A client that has gone takes its request with it.
    res.on('close', () => socket.destroy());
    req.on('error', cut).pipe(asked);
  }

  #answer(answer: IncomingMessage, res: ServerResponse, cut: () => void): void {
    const { 'x-instance': instance } = answer.headers;
    if (typeof instance === 'string') this.#met.set(instance, (this.#met.get(instance) ?? 0) + 1);
    res.writeHead(answer.statusCode ?? 502, headersOf(answer.rawHeaders));
    // Before the first event of a stream as well.
    res.flushHeaders();
    answer.on('error', cut).pipe(res);
  }

  async #upgrade(req: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const socket = await this.#next();
    if (!socket) return void client.destroy();
    const lines = [`${req.method} ${req.url} HTTP/1.1`];
    for (let at = 0; at < req.rawHeaders.length; at += 2) lines.push(`${req.rawHeaders[at]}: ${req.rawHeaders[at + 1]}`);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    socket.write(head);
    for (const [from, to] of [
      [client, socket],
      [socket, client],
    ] as const) {
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
  }

  /** A connection to whose turn it is. Undefined where none takes one. */
  async #next(): Promise<Socket | undefined> {
    for (let tries = this.#ports.length; tries > 0; tries -= 1) {
      const port = this.#ports[this.#turn++ % this.#ports.length] as number;
      const socket = await reach(port);
      if (socket) return this.#keep(socket);
    }
    return undefined;
  }

  #keep<Kind extends Duplex>(socket: Kind): Kind {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    return socket;
  }
}

/** Undefined where nobody listens. */
function reach(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const refused = () => {
      socket.destroy();
      resolve(undefined);
    };
    socket.setTimeout(connect_ms, refused);
    socket.once('error', refused).once('connect', () => {
      socket.setTimeout(0).off('error', refused).off('timeout', refused);
      // Whoever uses it hears of its faults too; unheard between the two they would end this process.
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

/** But those that are of one connection alone. */
function headersOf(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string;
    if (!/^(connection|keep-alive|transfer-encoding)$/i.test(name)) kept.push(name, raw[at + 1] as string);
  }
  return kept;
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
