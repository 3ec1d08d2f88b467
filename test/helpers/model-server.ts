import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** A message as a model's server gets it. */
export interface AskedMessage {
  role: string;
  /** Text; a list of parts where there are images; null where there are tool calls alone. */
  content: string | null | { type: string; text?: string; image_url?: { url: string } }[];
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface AskedBody {
  model: string;
  messages: AskedMessage[];
  stream: boolean;
  stream_options?: object;
  tools?: { type: string; function: { name: string; description: string; parameters: object } }[];
}

/** A tool call that a scripted model asks for. */
export interface ScriptedCall {
  name: string;
  /** An object, or the text that the model writes. */
  arguments?: object | string;
  /** Default `call_<index>`. */
  id?: string;
}

interface SendOptions {
  step?: number;
  cut?: boolean;
}

/** One request for a completion, answered by a script. */
export class Exchange {
  readonly body: AskedBody;
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

  /** Unread bytes of its answers. */
  get unread(): number {
    return this.#response.writableLength;
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

  /** A tool call in fragments, as OpenAI streams it: the name first, then the input in parts. */
  toolCall(index: number, { name, arguments: given = {}, id = `call_${index}` }: ScriptedCall): void {
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    this.delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    const length = Math.max(7, text.length / 100);
    for (let start = 0; start < text.length; start += length) {
      this.delta({ tool_calls: [{ index, function: { arguments: text.slice(start, start + length) } }] });
    }
  }

  usage(prompt_tokens: number, completion_tokens: number): void {
    const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
    this.raw(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [], usage })}\n\n`);
  }

  /** Any text, within the stream. */
  raw(text: string): void {
    this.bytes(Buffer.from(text));
  }

  /** Any bytes, within the stream. */
  bytes(bytes: Buffer): void {
    if (!this.#response.headersSent) this.#response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.#response.write(bytes);
  }

  /** Anything else, whole. */
  answer(content_type: string, body: string, code = 200): void {
    this.#response.writeHead(code, { 'content-type': content_type });
    this.#response.end(body);
  }

  /** A whole answer in bytes, perhaps so many at a time, or with the connection cut at its end. */
  send(code: number, headers: Record<string, string>, body: Buffer, { step = body.length, cut = false }: SendOptions = {}): void {
    this.#response.writeHead(code, headers);
    for (let start = 0; start < body.length; start += step) this.#response.write(body.subarray(start, start + step));
    // Later, so that it arrives.
    if (cut) setTimeout(() => this.breakOff(), 20);
    else this.close();
  }

  /** The end that a whole answer has. */
  finish(reason = 'stop'): void {
    this.delta({}, reason);
    this.end();
  }

  end(): void {
    this.raw('data: [DONE]\n\n');
    this.close();
  }

  /** Ends the stream, whatever was sent. */
  close(): void {
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
  /** Requests, in order. */
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

/** Answers with a text, and tells what it cost. */
export function sayFor(input_tokens: number, output_tokens: number, text = 'Hello.'): Script {
  return (exchange) => {
    exchange.text(text);
    exchange.delta({}, 'stop');
    exchange.usage(input_tokens, output_tokens);
    exchange.end();
  };
}

/** Asks for tools, all at once, perhaps after a text. */
export function callTools(calls: readonly ScriptedCall[], text?: string): Script {
  return (exchange) => {
    if (text) exchange.text(text);
    for (const [index, call] of calls.entries()) exchange.toolCall(index, call);
    exchange.finish('tool_calls');
  };
}

/** Starts one on a free port, and ends it after the test. */
export async function startModelServer(t: Pick<Test, 'teardown'>): Promise<ModelServer> {
  const exchanges: Exchange[] = [];
  let scripts: Script[] = [say('Hello.')];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (!request.url?.endsWith('/v1/chat/completions')) return response.writeHead(404).end();
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
