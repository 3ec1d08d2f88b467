import { Pool } from 'undici';
import { Child } from '../child.js';
import { percentile } from '../statistics.js';
import type { Effort } from './effort.js';

/** Resources that a server's process has used since the last request for them, or since its start. */
export interface Used {
  /** Processor time of all its threads. */
  cpu_s: number;
  /** The most that it has had. */
  memory_mb: number;
}

export interface Ask {
  method?: 'GET' | 'POST';
  path: string;
  body?: object;
}

export interface Asked {
  cpu_us: number;
  ms_p95: number;
  ms_p99: number;
}

const lanes = 4;

/** A server in a process of its own, which is asked over HTTP. */
export class AskedServer {
  readonly child: Child;
  readonly #headers: Record<string, string>;
  readonly #pool: Pool;

  private constructor(child: Child, { url, token }: { url: string; token: string }) {
    this.child = child;
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    this.#pool = new Pool(url, { connections: lanes, pipelining: 1 });
  }

  /** Starts a program that tells its address and a token first, and answers `use` with {@link Used}. */
  static async start<Ready extends object>(file: string, args: readonly string[]): Promise<AskedServer & { ready: Ready }> {
    const { child, ready } = await Child.start<Ready & { url: string; token: string }>(file, args);
    return Object.assign(new AskedServer(child, ready), { ready });
  }

  use(): Promise<Used> {
    return this.child.ask<Used>('use');
  }

  /** Measures the cost of a request; `ask` returns the nth. */
  async cost(ask: (n: number) => Ask, { warm, counted }: Effort): Promise<Asked> {
    await this.#asks(ask, warm);
    await this.use();
    const took = await this.#asks(ask, counted);
    const { cpu_s } = await this.use();
    return { cpu_us: (cpu_s * 1e6) / took.length, ms_p95: percentile(took, 0.95), ms_p99: percentile(took, 0.99) };
  }

  async stop(): Promise<void> {
    await this.#pool.destroy();
    await this.child.stop();
  }

  /** On a few lanes one request after the other; gives how long each took. */
  async #asks(ask: (n: number) => Ask, { requests, ms }: { requests: number; ms: number }): Promise<number[]> {
    const took: number[] = [];
    const end = performance.now() + ms;
    const lane = async (_: unknown, first: number) => {
      for (let n = first; n < requests && (n < lanes || performance.now() < end); n += lanes) took.push(await this.#ask(ask(n)));
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return took;
  }

  async #ask({ method = 'GET', path, body }: Ask): Promise<number> {
    const begun = performance.now();
    const answer = await this.#pool.request({ method, path, headers: this.#headers, body: body ? JSON.stringify(body) : null });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 300)}`);
    return performance.now() - begun;
  }
}
