import { Agent } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { type SecureContext, connect as secureConnect } from 'node:tls';
import type { Target } from './address.js';
import type { Limits } from './limits.js';
import { tlsOptions } from './tls.js';

type Done = (error: Error | null, stream?: Duplex) => void;

/**
 * Connections to one engine. They lead there regardless of a request's target, so that an engine's redirects lead
 * nowhere else. Closing it ends all open connections, including upgraded ones.
 */
export abstract class EngineAgent extends Agent {
  readonly #open = new Set<Duplex>();
  #destroyed = false;

  protected abstract open(): Duplex | Promise<Duplex>;

  protected assertOpen(): void {
    if (this.#destroyed) throw Object.assign(new Error('Its client was closed'), { code: 'ECONNABORTED' });
  }

  override createConnection(_options: unknown, done: Done): undefined {
    void this.#connect(done);
  }

  override destroy(): void {
    this.#destroyed = true;
    super.destroy();
    this.closeAll();
  }

  /** Closes all open connections. */
  protected closeAll(fault?: Error): void {
    for (const stream of this.#open) stream.destroy(fault);
  }

  async #connect(done: Done): Promise<void> {
    let stream: Duplex;
    try {
      this.assertOpen();
      stream = await this.open();
    } catch (fault) {
      return done(fault instanceof Error ? fault : new Error(String(fault)));
    }
    this.#track(stream);
    done(null, stream);
  }

  #track(stream: Duplex): void {
    if (this.#destroyed) stream.destroy();
    this.#open.add(stream);
    // Readers get the error too; without a listener it would end the process.
    stream.on('error', () => undefined);
    stream.once('close', () => this.#open.delete(stream));
  }
}

/** Interval of TCP keep-alives, in ms: middleboxes drop silent connections, and a mere listener would never notice. */
const keep_alive_ms = 30_000;

/** Connects over sockets of the system: a path, or a host and port, plain or with TLS. */
export class SystemAgent extends EngineAgent {
  readonly #target: Exclude<Target, { kind: 'ssh' }>;
  readonly #context: SecureContext | undefined;
  readonly #connect_ms: number;

  /** @param context - for targets that are `secure` */
  constructor(target: Exclude<Target, { kind: 'ssh' }>, { connect_ms, connections, context }: Limits & { context?: SecureContext }) {
    // Use a new connection for each request: an engine that is stopping accepts none, but would still answer on
    // existing ones, and then lose containers it starts.
    super({ keepAlive: false, maxSockets: connections });
    this.#target = target;
    this.#context = context;
    this.#connect_ms = connect_ms;
  }

  protected open(): Duplex {
    const target = this.#target;
    if (target.kind === 'unix') return this.#bounded(connect({ path: target.path }), 'connect');
    if (!this.#context) return this.#bounded(connect({ host: target.host, port: target.port }), 'connect');
    return this.#bounded(secureConnect(tlsOptions(target, this.#context)), 'secureConnect');
  }

  #bounded(socket: ReturnType<typeof connect>, ready: string): Duplex {
    const late = () => socket.destroy(Object.assign(new Error(`No connection within ${this.#connect_ms} ms`), { code: 'ETIMEDOUT' }));
    const timer = setTimeout(late, this.#connect_ms);
    const clear = () => clearTimeout(timer);
    return socket.setKeepAlive(true, keep_alive_ms).once(ready, clear).once('close', clear);
  }
}
