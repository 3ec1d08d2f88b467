import { Agent, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamEvent } from '../contract/operation.js';
import { headOf, readAnswer, readFileAnswer } from './answer.js';
import { isEventStream } from './answer-text.js';
import { failClient, type Server } from './client-failure.js';
import { type Exchange, exchange, type Target, unreachable } from './exchange.js';
import { readProgressResponse } from './progress-response.js';
import { resumingStream, type StreamConnection } from './resuming-stream.js';
import { route, withTicket } from './route.js';
import type { Request, Transport } from './transport.js';

export interface HttpOptions {
  /** Address of the server, without `/api`. */
  url: string;
  /** An access token or a personal token. */
  token?: string | undefined;
  /** A ticket, valid for one stream. */
  ticket?: string | undefined;
  /** Returns the `Authorization` header for each request if there is no token. */
  authorization?: (() => string) | undefined;
  socket?: string | undefined;
  /** Name of the server in errors. Default: its address. */
  name?: string | undefined;
  /** The `User-Agent` header. */
  agent?: string | undefined;
  /** Retries in a row for a dropped stream (default 8), and the first wait (default 250), doubled each time up to 3,000. */
  resume?: { attempts?: number; wait_ms?: number } | undefined;
}

// Longer than the server's own limit, so that callers see the server's response.
const default_timeout_ms = 30_000;
const grace_ms = 5_000;
/** Makes the server reject unknown fields instead of dropping them (RFC 7240). */
const strictly = { prefer: 'handling=strict' };
// The server sends a comment every 15 s: three missing ones mean a dead connection.
const silence_ms = 50_000;

/** Creates a transport over HTTP. */
export function http(options: HttpOptions): Transport {
  return new HttpTransport(options);
}

class HttpTransport implements Transport {
  readonly #target: Target;
  readonly #server: Server;
  readonly #options: HttpOptions;
  #agent: Agent | undefined;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#target = { url: address(options.url), socket: options.socket, name: options.name ?? options.url };
    this.#server = { name: this.#target.name, lost: (cause) => unreachable(this.#target, cause) };
    // `https` uses Node's default agent; the agent for plain HTTP is closed together with its connections.
    if (this.#target.url.protocol === 'http:') this.#agent = new Agent({ keepAlive: true });
  }

  async call(request: Request) {
    const { operation, options } = request;
    const { path, body: fields } = route(operation, request.input);
    const onProgress = operation.progress === true ? options.progress : undefined;
    const { body, headers } = operation.kind === 'upload' ? await formOf(fields ?? {}, operation.file_field ?? 'file') : jsonOf(fields);
    const response = await this.#send({
      method: operation.method,
      path,
      headers: {
        ...headers,
        ...(fields === undefined ? {} : strictly),
        ...(onProgress ? { accept: 'text/event-stream, application/json' } : {}),
        ...(options.idempotency_key === undefined ? {} : { 'idempotency-key': options.idempotency_key }),
      },
      body,
      timeout_ms: (operation.timeout_ms ?? default_timeout_ms) + grace_ms,
      signal: options.signal,
      sent: operation.kind === 'upload' ? options.sent : undefined,
    });
    if (onProgress && isEventStream(headOf(response)))
      return readProgressResponse(response, { server: this.#server, onProgress, signal: options.signal });
    const read = operation.kind === 'file' ? readFileAnswer : readAnswer;
    return { body: await read(response, this.#target), status: response.statusCode ?? 0 };
  }

  stream(request: Request): AsyncIterable<StreamEvent> {
    const { signal, line } = request.options;
    const { attempts = 8, wait_ms = 250 } = this.#options.resume ?? {};
    return resumingStream({
      server: this.#server,
      open: (cursor) => this.#open(request, cursor),
      resumable: request.operation.method === 'GET' && this.#options.ticket === undefined,
      attempts,
      wait: (failed) => sleep(Math.min(wait_ms * 2 ** failed, 3_000), undefined, { signal }).catch(() => undefined),
      signal,
      line,
    });
  }

  async close(): Promise<void> {
    this.#agent?.destroy();
  }

  async #open(request: Request, cursor: string | undefined): Promise<StreamConnection> {
    const { path, body } = route(request.operation, cursor === undefined ? request.input : { ...request.input, after: undefined });
    const content = jsonOf(body);
    const response = await this.#send({
      method: request.operation.method,
      path: withTicket(path, this.#options.ticket),
      headers: {
        ...content.headers,
        ...(body === undefined ? {} : strictly),
        accept: 'text/event-stream',
        ...(cursor === undefined ? {} : { 'last-event-id': cursor }),
      },
      body: content.body,
      timeout_ms: silence_ms,
      signal: request.options.signal,
    });
    if (isEventStream(headOf(response))) return { chunks: response as AsyncIterable<Uint8Array>, close: () => response.destroy() };
    await readAnswer(response, this.#target);
    throw failClient('unexpected_answer', `${this.#target.name} answered ${request.id} without an event stream`);
  }

  async #send(request: Exchange): Promise<IncomingMessage> {
    const { token, agent } = this.#options;
    const authorization = token === undefined ? this.#options.authorization?.() : `Bearer ${token}`;
    const headers = {
      accept: 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
      ...(agent === undefined ? {} : { 'user-agent': agent }),
      ...request.headers,
    };
    return exchange(this.#target, { ...request, headers, agent: this.#agent });
  }
}

function address(url: string): URL {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return new URL(url);
  throw failClient('unreachable', `'${url}' is not an address; expected one like http://127.0.0.1:8080`);
}

interface Payload {
  body?: Uint8Array | string;
  headers: Record<string, string>;
}

function jsonOf(fields: Record<string, unknown> | undefined): Payload {
  if (fields === undefined) return { headers: {} };
  const body = JSON.stringify(fields);
  return { body, headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) } };
}

async function formOf(fields: Record<string, unknown>, name: string): Promise<Payload> {
  return (await import('./form.js')).encodeForm(fields, name);
}
