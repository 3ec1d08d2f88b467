import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The fate of the bytes on a link. */
export type Passage =
  | { readonly kind: 'open' }
  /** Connections are reset, those that are there and those that come. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'slow'; readonly delay_ms: number }
  /** They are taken, and wait until the link is open again. */
  | { readonly kind: 'stalled' }
  /** Each connection is reset once so many bytes of answers have passed. */
  | { readonly kind: 'halved'; readonly bytes: number };

const open: Passage = { kind: 'open' };
/** Bytes that wait in one direction of a connection; a sender of more waits too. */
const max_waiting_bytes = 1024 * 1024;

/** A TCP proxy before one server, on which the network can be broken. */
export class Link {
  readonly port: number;
  readonly #server: Server;
  readonly #crossings: Set<Crossing>;
  #passage: Passage = open;

  static async to(target: number): Promise<Link> {
    const crossings = new Set<Crossing>();
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Link(server, { target, crossings });
  }

  private constructor(server: Server, { target, crossings }: { target: number; crossings: Set<Crossing> }) {
    this.#server = server;
    this.#crossings = crossings;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (near) => this.#take(near, target));
  }

  set(passage: Passage): void {
    this.#passage = passage;
    for (const crossing of this.#crossings) crossing.change(passage);
  }

  heal(): void {
    this.set(open);
  }

  /** The connections that there are look alive, and say nothing any more; new ones pass. */
  strand(): void {
    for (const crossing of this.#crossings) crossing.strand();
  }

  async close(): Promise<void> {
    for (const crossing of this.#crossings) crossing.reset();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #take(near: Socket, target: number): void {
    if (this.#passage.kind === 'cut') {
      near.on('error', () => undefined).resetAndDestroy();
      return;
    }
    const crossing = new Crossing(near, { target, passage: this.#passage, over: () => this.#crossings.delete(crossing) });
    this.#crossings.add(crossing);
  }
}

/** One connection through a link. */
class Crossing {
  readonly #ends: readonly [Socket, Socket];
  readonly #flows: readonly [Flow, Flow];
  readonly #over: () => void;
  #isStranded = false;

  constructor(near: Socket, { target, passage, over }: { target: number; passage: Passage; over: () => void }) {
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    this.#ends = [near, far];
    this.#over = over;
    const reset = () => this.reset();
    this.#flows = [new Flow({ from: near, to: far, passage, reset }), new Flow({ from: far, to: near, passage, reset, isAnswer: true })];
    for (const end of this.#ends) end.on('error', reset).on('close', () => this.#closed());
  }

  change(passage: Passage): void {
    if (this.#isStranded) return;
    if (passage.kind === 'cut') this.reset();
    else for (const flow of this.#flows) flow.change(passage);
  }

  strand(): void {
    this.#isStranded = true;
    for (const flow of this.#flows) flow.change({ kind: 'stalled' });
  }

  reset(): void {
    for (const end of this.#ends) end.resetAndDestroy();
  }

  #closed(): void {
    for (const flow of this.#flows) flow.stop();
    if (this.#ends.every(({ destroyed }) => destroyed)) this.#over();
    else if (!this.#isStranded) for (const end of this.#ends) end.destroySoon();
  }
}

interface FlowOptions {
  from: Socket;
  to: Socket;
  passage: Passage;
  reset: () => void;
  /** From the server to the client. */
  isAnswer?: boolean;
}

interface Waiting {
  bytes: Buffer;
  due: number;
}

/** One direction of a connection. */
class Flow {
  readonly #options: FlowOptions;
  readonly #waiting: Waiting[] = [];
  #passage: Passage;
  #waiting_bytes = 0;
  #passed_bytes = 0;
  #isEnded = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FlowOptions) {
    this.#options = options;
    this.#passage = options.passage;
    options.from.on('data', (bytes) => this.#take(bytes));
    options.from.on('end', () => {
      this.#isEnded = true;
      this.#pass();
    });
    options.to.on('drain', () => this.#pass());
  }

  change(passage: Passage): void {
    this.#passage = passage;
    this.#passed_bytes = 0;
    this.#pass();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #take(bytes: Buffer): void {
    const delay_ms = this.#passage.kind === 'slow' ? this.#passage.delay_ms : 0;
    this.#waiting.push({ bytes, due: performance.now() + delay_ms });
    this.#waiting_bytes += bytes.length;
    if (this.#waiting_bytes > max_waiting_bytes) this.#options.from.pause();
    this.#pass();
  }

  /** As much as may pass now; what has to wait is looked at again. */
  #pass(): void {
    const { from, to } = this.#options;
    clearTimeout(this.#timer);
    for (let [head] = this.#waiting; head && this.#passage.kind !== 'stalled' && !to.writableNeedDrain; [head] = this.#waiting) {
      const wait_ms = head.due - performance.now();
      if (this.#passage.kind === 'slow' && wait_ms > 0) {
        this.#timer = setTimeout(() => this.#pass(), wait_ms);
        return;
      }
      this.#waiting.shift();
      this.#waiting_bytes -= head.bytes.length;
      if (!this.#write(head.bytes)) return;
    }
    if (this.#waiting_bytes <= max_waiting_bytes) from.resume();
    if (this.#isEnded && this.#waiting.length === 0) to.end();
  }

  /** False where the connection ends with these bytes. */
  #write(bytes: Buffer): boolean {
    const { to, reset, isAnswer = false } = this.#options;
    const room = this.#passage.kind === 'halved' && isAnswer ? this.#passage.bytes - this.#passed_bytes : Number.POSITIVE_INFINITY;
    this.#passed_bytes += bytes.length;
    if (bytes.length < room) return to.write(bytes) || true;
    to.write(bytes.subarray(0, room), reset);
    return false;
  }
}
