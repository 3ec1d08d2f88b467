import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** A request as a receiver gets it. */
export interface Received {
  readonly method: string;
  /** Path and query, on a host that doesn't matter. */
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text parsed as JSON; undefined if it is none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** An answer, or how the other side fails: it says nothing until the test ends, or cuts the connection. */
export type Reply = 'silence' | 'break off' | { status?: number; headers?: Record<string, string>; body?: string | object };

export interface Receiver {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly received: readonly Received[];
  /** The next requests are answered so, one each, whatever they hold. */
  next(...replies: Reply[]): void;
}

/** A real HTTP server on a free port of this machine; it ends with the test. */
export async function startReceiver(t: Test, answer: (received: Received) => Reply): Promise<Receiver> {
  const received: Received[] = [];
  const replies: Reply[] = [];
  const server = createServer((request, response) => {
    void read(request).then((one) => {
      received.push(one);
      const reply = replies.shift() ?? answer(one);
      if (reply === 'silence') return;
      if (reply === 'break off') return void response.destroy();
      const { status = 200, headers = {}, body = '' } = reply;
      const json = typeof body === 'object';
      response.writeHead(status, { ...(json ? { 'content-type': 'application/json' } : {}), ...headers });
      response.end(json ? JSON.stringify(body) : body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, received, next: (...more) => void replies.push(...more) };
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const url = new URL(request.url ?? '/', 'http://receiver');
  return { method: request.method ?? '', url, headers: request.headers, text, body: parsed(text) };
}

function parsed(text: string): Received['body'] {
  try {
    return JSON.parse(text) as Received['body'];
  } catch {
    return undefined;
  }
}

/** Messages that a chat vendor's receiver has accepted. */
export interface ChatReceiver extends Receiver {
  /** The address that the vendor hands out, its token in it. */
  readonly url: string;
  /** Texts as people see them, in order. */
  readonly messages: readonly string[];
  /** Whom the messages have called: a notification calls nobody. */
  readonly called: readonly string[];
}

export interface ChatOptions {
  /** Messages must be signed with it. */
  secret?: string;
  /** Messages accepted before it answers that there are too many. */
  max?: number;
}
