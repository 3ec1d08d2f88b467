import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** One request for a completion, answered by a script. */
export class Exchange {
  readonly body: { model: string; messages: { role: string; content: string }[]; stream: boolean; stream_options?: object };
  readonly headers: IncomingHttpHeaders;
  /** Resolves when its socket has closed, whoever closed it. */
  readonly closed: Promise<void>;
  isClosed = false;
  readonly #response: ServerResponse;

  constructor(body: string, headers: IncomingHttpHeaders, response: ServerResponse) {
    this.body = JSON.parse(body);
    this.headers = headers;
    this.#response = response;
    this.closed = once(response, 'close').then(() => {
      this.isClosed = true;
    });
  }

  /** Answers with an error as OpenAI does. */
  status(code: number, error: object = {}, headers: Record<string, string> = {}): void {
    this.#response.writeHead(code, { 'content-type': 'application/json', ...headers });
    this.#response.end(JSON.stringify({ error: { message: `scripted ${code}`, ...error } }));
  }

  /** One piece of the stream. */
  delta(delta: object, finish_reason: string | null = null): void {
    this.raw(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  }

  /** A piece of text, and what comes right after it. */
  text(content: string, then?: 'end' | 'break off'): void {
    this.delta({ content });
    if (then === 'end') this.end();
    // Later, so that the piece arrives.
    if (then === 'break off') setTimeout(() => this.breakOff(), 20);
  }

  usage(prompt_tokens: number, completion_tokens: number): void {
    const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
    this.raw(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [], usage })}\n\n`);
  }

  /** Any bytes, within the stream. */
  raw(text: string): void {
    if (!this.#response.headersSent) this.#response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.#response.write(text);
  }

  /** The end that a whole answer has. */
  finish(reason = 'stop'): void {
    this.delta({}, reason);
    this.end();
  }

  end(): void {
    this.raw('data: [DONE]\n\n');
    this.#response.end();
  }

  /** Ends the connection in the middle. */
  breakOff(): void {
    this.#response.destroy();
  }
}

export type Script = (exchange: Exchange) => void | Promise<void>;

/** A real HTTP server that answers as an OpenAI-compatible endpoint, in the way that a test says. */
export interface ModelServer {
  /** For `agents.model.base_url`. */
  readonly url: string;
  /** What was asked, in order. */
  readonly exchanges: readonly Exchange[];
  /** How the next requests are answered, in order; the last script answers all that follow. */
  script(...scripts: Script[]): void;
  close(): Promise<void>;
}

/** Answers with a text in pieces. */
export function say(...pieces: string[]): Script {
  return (exchange) => {
    for (const piece of pieces) exchange.text(piece);
    exchange.finish();
  };
}

/** Starts one on a free port, and ends it after the test. */
export async function startModelServer(t: Test): Promise<ModelServer> {
  const exchanges: Exchange[] = [];
  let scripts: Script[] = [say('Hello.')];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url !== '/v1/chat/completions') return response.writeHead(404).end();
      const exchange = new Exchange(Buffer.concat(chunks).toString(), request.headers, response);
      exchanges.push(exchange);
      const script = scripts.length > 1 ? scripts.shift() : scripts[0];
      Promise.resolve(script?.(exchange)).catch(() => response.destroy());
      return undefined;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  t.teardown(close);
  return {
    url: `http://127.0.0.1:${port}/v1`,
    exchanges,
    script: (...next) => {
      scripts = next;
    },
    close,
  };
}
