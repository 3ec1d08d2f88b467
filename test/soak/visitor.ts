import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { WebSocket } from 'ws';
import type { Latencies } from './latencies.js';

export interface Ask {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: object;
  /** The one that is expected; any success where it is left out. */
  status?: number;
  /** Default: the administrator's token. */
  token?: string;
}

const patience_ms = 20_000;

/** All clients of the platform: what they ask, how long it took, and what went wrong. */
export class Visitor {
  readonly #url: string;
  readonly #token: string;
  readonly #latencies: Latencies;
  readonly #pool: Pool;
  readonly faults: string[] = [];
  requests = 0;
  failed = 0;

  constructor({ url, token, latencies }: { url: string; token: string; latencies: Latencies }) {
    this.#url = url;
    this.#token = token;
    this.#latencies = latencies;
    this.#pool = new Pool(url, { connections: 200, pipelining: 1, bodyTimeout: patience_ms, headersTimeout: patience_ms });
  }

  /** One request; its answer as JSON, or as text where it is none. */
  async ask<Answer = unknown>(ask: Ask): Promise<Answer> {
    const began = performance.now();
    const answer = await this.#request(ask);
    const text = await answer.body.text();
    this.#latencies.add(ask.method === 'GET' ? 'reads' : 'writes', performance.now() - began);
    const isRight = ask.status === undefined ? answer.statusCode < 400 : answer.statusCode === ask.status;
    if (!isRight) throw new Error(`${ask.method} ${ask.path}: ${answer.statusCode} ${text.slice(0, 200)}`);
    return (String(answer.headers['content-type']).startsWith('application/json') ? JSON.parse(text) : text) as Answer;
  }

  /** A stream to its end, which comes when it comes. */
  async follow(path: string): Promise<string> {
    const { statusCode, body } = await this.#request({ method: 'GET', path });
    if (statusCode !== 200) throw new Error(`GET ${path}: ${statusCode}`);
    return body.text();
  }

  /** Begins to read, and is gone in the middle. */
  async leaveEarly(path: string): Promise<void> {
    const answer = await this.#request({ method: 'GET', path });
    answer.body.on('error', () => undefined);
    await once(answer.body, 'data');
    answer.body.destroy();
  }

  /** A socket for a while; it ends as sockets should, or is torn off. */
  async connect(isTorn: boolean): Promise<void> {
    this.requests += 1;
    const socket = new WebSocket(`${this.#url.replace('http', 'ws')}/ws`, { headers: { authorization: `Bearer ${this.#token}` } });
    await once(socket, 'open', { signal: AbortSignal.timeout(patience_ms) });
    socket.send(JSON.stringify({ type: 'subscribe', id: 1, data: { topics: ['extensions'] } }));
    socket.send(JSON.stringify({ type: 'ping', id: 2 }));
    await pause(2_000);
    const closed = once(socket, 'close', { signal: AbortSignal.timeout(patience_ms) });
    if (isTorn) socket.terminate();
    else socket.close();
    await closed;
  }

  /** Does a part of the load, and remembers where it fails. */
  async try(work: (visitor: Visitor) => Promise<unknown>): Promise<void> {
    try {
      await work(this);
    } catch (fault) {
      this.failed += 1;
      if (this.faults.length < 20) this.faults.push(String(fault));
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #request({ method, path, body, token = this.#token }: Ask): Promise<Dispatcher.ResponseData> {
    this.requests += 1;
    const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
    return this.#pool.request({ method, path, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  }
}
