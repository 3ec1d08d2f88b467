import { Agent, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, isFailure } from '../contract/failure.js';
import type { StreamEvent } from '../contract/operation.js';
import { readAnswer, readFileAnswer } from './answer.js';
import { type Exchange, exchange, failClient, type Target, unreachable } from './exchange.js';
import { readProgressResponse } from './progress-response.js';
import { route } from './route.js';
import { type Frame, frames } from './sse.js';
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
  readonly #options: HttpOptions;
  #agent: Agent | undefined;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#target = { url: address(options.url), socket: options.socket, name: options.name ?? options.url };
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
    if (onProgress && isEventStream(response)) return readProgressResponse(response, this.#target, { onProgress, signal: options.signal });
    const read = operation.kind === 'file' ? readFileAnswer : readAnswer;
    return { body: await read(response, this.#target), status: response.statusCode ?? 0 };
  }

  async *stream(request: Request): AsyncGenerator<StreamEvent> {
    const { signal } = request.options;
    const { attempts = 8, wait_ms = 250 } = this.#options.resume ?? {};
    const position: Position = { opened: false, cursor: undefined };
    for (let failed = 0; signal?.aborted !== true; failed += 1) {
      try {
        for await (const event of this.#connection(request, position)) {
          failed = 0;
          yield event;
        }
        return;
      } catch (error) {
        if (signal?.aborted) return;
        if (!this.#isResumable(request, position, error) || failed >= attempts) throw error;
        await sleep(Math.min(wait_ms * 2 ** failed, 3_000), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async close(): Promise<void> {
    this.#agent?.destroy();
  }

  /** Yields the events of one connection; ends when the server ends the stream. */
  async *#connection(request: Request, position: Position): AsyncGenerator<StreamEvent> {
    const response = await this.#open(request, position);
    let received: 'nothing' | 'something' | 'final retry' = 'nothing';
    position.opened = true;
    try {
      for await (const frame of frames(response as AsyncIterable<Uint8Array>)) {
        if (frame.id !== undefined) position.cursor = frame.id;
        if (frame.data !== undefined) yield eventOf(frame);
        // Each stream starts with a `retry`; a final one is sent by a server that is stopping.
        received = frame.data === undefined && received !== 'nothing' ? 'final retry' : 'something';
      }
      if (received === 'final retry') throw failClient('unreachable', `${this.#target.name} can't be reached: it is stopping`);
    } catch (error) {
      throw isFailure(error) ? error : unreachable(this.#target, error);
    } finally {
      response.destroy();
    }
  }

  async #open(request: Request, position: Position): Promise<IncomingMessage> {
    const resumed = position.cursor !== undefined;
    const { path, body } = route(request.operation, resumed ? { ...request.input, after: undefined } : request.input);
    const content = jsonOf(body);
    const response = await this.#send({
      method: request.operation.method,
      path: this.#withTicket(path),
      headers: {
        ...content.headers,
        ...(body === undefined ? {} : strictly),
        accept: 'text/event-stream',
        ...(position.cursor === undefined ? {} : { 'last-event-id': position.cursor }),
      },
      body: content.body,
      timeout_ms: silence_ms,
      signal: request.options.signal,
    });
    if (isEventStream(response)) return response;
    await readAnswer(response, this.#target);
    throw failClient('unexpected_answer', `${this.#target.name} answered ${request.id} without an event stream`);
  }

  /** Returns whether a stream can resume after its cursor. Only GET is resumed: anything else would run twice. */
  #isResumable(request: Request, position: Position, error: unknown): boolean {
    if (!position.opened || request.operation.method !== 'GET' || this.#options.ticket !== undefined) return false;
    return isFailure(error) && ['unreachable', 'shutting_down', 'extension_unavailable'].includes(error.code);
  }

  #withTicket(path: string): string {
    const { ticket } = this.#options;
    return ticket === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}ticket=${encodeURIComponent(ticket)}`;
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

function isEventStream({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 200 && /^text\/event-stream\b/.test(headers['content-type'] ?? '');
}

/** Position in a stream. */
interface Position {
  opened: boolean;
  cursor: string | undefined;
}

function address(url: string): URL {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return new URL(url);
  throw failClient('unreachable', `'${url}' is not an address; expected one like http://127.0.0.1:8080`);
}

function eventOf({ id, data: text = '{}', event }: Frame): StreamEvent {
  const { type = event ?? 'message', ...data } = JSON.parse(text) as { type?: string } & Record<string, unknown>;
  if (type === 'error' && typeof data.code === 'string' && 'request_id' in data) throw faultOf(data);
  return { ...(id === undefined ? {} : { id }), type, data };
}

/** Builds the failure from an error event: a stream can't report it otherwise after its headers. */
function faultOf({ code, message, request_id }: Record<string, unknown>): Failure {
  return new Failure(String(code), String(message), { status: 500, cause: { request_id } });
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
