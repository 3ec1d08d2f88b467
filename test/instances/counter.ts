import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** Requests that it answers at once. */
const at_first = 300;

/** Counts what it is asked; after the first ones it answers nobody until it is told to. */
export class Counter {
  readonly url: string;
  readonly #waiting: ServerResponse[] = [];
  readonly #paths = new Set<string>();
  #asked = 0;
  #released = false;

  constructor(url: string) {
    this.url = url;
  }

  get asked(): number {
    return this.#asked;
  }

  /** By how many paths. */
  get different(): number {
    return this.#paths.size;
  }

  get held(): number {
    return this.#waiting.length;
  }

  take(path: string, response: ServerResponse): void {
    this.#asked += 1;
    this.#paths.add(path);
    if (this.#released || this.#asked <= at_first) response.end('counted');
    else this.#waiting.push(response);
  }

  release(): void {
    this.#released = true;
    for (const response of this.#waiting.splice(0)) response.end('counted');
  }
}

export async function startCounter(t: Test): Promise<Counter> {
  const server = createServer((req, res) => counter.take(req.url ?? '', res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const counter = new Counter(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return counter;
}
