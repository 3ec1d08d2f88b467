import type { Outcome } from '../../contract/extension.js';
import { type Failure, fail, isFailure } from '../../contract/failure.js';
import type { OperationData } from '../../contract/manifest.js';
import type { StreamEvent } from '../../contract/operation.js';
import { answerOf, isEventStream } from '../answer-text.js';
import { failClient, type Server } from '../client-failure.js';
import { formOf } from '../form.js';
import { readProgressResponse } from '../progress-response.js';
import { resumingStream, type StreamConnection } from '../resuming-stream.js';
import { route, withTicket } from '../route.js';
import type { Request, Transport } from '../transport.js';
import { AccessToken, type TokenSource } from './access-token.js';
import { type BackOff, backOff } from './back-off.js';
import { entryOperation } from './entry-operation.js';
import { type Hint, Hints } from './hints.js';
import { type Live, LiveConnection, type LiveOptions } from './live.js';
import { lostBy, Reply, serverAt } from './reply.js';
import type { WebSocketClass } from './socket-line.js';
import { type UploadRequest, upload } from './upload.js';
import { Watchdog } from './watchdog.js';

export interface BrowserOptions extends TokenSource {
  /** Address of the server, without `/api`. */
  url: string;
  /** Waits between retries. Default: 250 ms, doubled each time up to 10,000. */
  back_off?: Partial<BackOff> | undefined;
  /** Parts of the browser, for programs that lack them. Default: the global ones. */
  parts?: Partial<BrowserParts> | undefined;
}

export interface BrowserParts {
  fetch: typeof fetch;
  /** Without it uploads report no progress. */
  XMLHttpRequest: new () => UploadRequest;
  WebSocket: WebSocketClass;
}

/** A transport for web pages. */
export interface BrowserTransport extends Transport {
  /** Opens a live connection, which reconnects by itself. */
  live(options?: LiveOptions): Live;
  /** Returns an address that downloads a file without headers. It is valid once and for a minute. */
  link(operation: OperationData, input?: object): Promise<string>;
  /** Makes open connections check whether they are alive, and ends waits. */
  hint(hint: Hint): void;
}

/** Creates a transport over `fetch` and the browser's WebSocket. */
export function browser(options: BrowserOptions): BrowserTransport {
  return new FetchTransport(options);
}

interface Outgoing {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string | FormData | undefined;
  /** Limit of a silence. */
  timeout_ms: number;
  /** Limit of a silence after a hint. */
  hurried_ms?: number;
  signal?: AbortSignal | undefined;
}

const default_timeout_ms = 30_000;
// Longer than the server's own limit, so that callers see the server's response.
const grace_ms = 5_000;
/** Makes the server reject unknown fields instead of dropping them (RFC 7240). */
const strictly = { prefer: 'handling=strict' };
// The server sends a comment every 15 s: three missing ones mean a dead connection, and after a sleep one does.
const silence_ms = 50_000;
const hurried_silence_ms = 18_000;
/** Cause of a failure after a silence. */
const timed_out = 'timed out';
const ticketOperation = entryOperation('POST', '/api/auth/ticket');

class FetchTransport implements BrowserTransport {
  readonly #url: string;
  readonly #server: Server;
  readonly #token: AccessToken;
  readonly #parts: Partial<BrowserParts>;
  readonly #back_off: BackOff;
  readonly #hints = new Hints();
  readonly #closing = new AbortController();

  constructor(options: BrowserOptions) {
    this.#url = options.url.replace(/\/$/, '');
    this.#server = serverAt(this.#url);
    this.#token = new AccessToken(options);
    const { fetch, XMLHttpRequest, WebSocket } = globalThis as unknown as Partial<BrowserParts>;
    this.#parts = { fetch, XMLHttpRequest, WebSocket, ...options.parts } as Partial<BrowserParts>;
    this.#back_off = { wait_ms: 250, max_wait_ms: 10_000, ...options.back_off };
  }

  async call(request: Request): Promise<Outcome> {
    const { operation, options } = request;
    const key = options.idempotency_key ?? (operation.idempotent === undefined ? undefined : randomKey());
    return this.#repeated(request, () => this.#authorized(operation, (token) => this.#once(request, { token, key })));
  }

  stream(request: Request): AsyncIterable<StreamEvent> {
    const { operation, options } = request;
    return resumingStream({
      server: this.#server,
      open: (cursor) => this.#authorized(operation, (token) => this.#open(request, cursor, token)),
      resumable: operation.method === 'GET',
      outlives_token: true,
      attempts: Number.POSITIVE_INFINITY,
      wait: async (failed) => {
        await this.#hints.wait(backOff(this.#back_off, failed), options.signal, this.#closing.signal);
        this.#closing.signal.throwIfAborted();
      },
      signal: options.signal,
      line: options.line,
    });
  }

  live(options: LiveOptions = {}): Live {
    const { WebSocket } = this.#parts;
    if (!WebSocket) throw new Error('There is no WebSocket; pass one in `parts`');
    const live = new LiveConnection({
      ...options,
      url: this.#url,
      token: this.#token,
      hints: this.#hints,
      back_off: this.#back_off,
      WebSocket,
    });
    this.#closing.signal.addEventListener('abort', () => live.close(), { once: true });
    return live;
  }

  async link(operation: OperationData, input: object = {}): Promise<string> {
    const { path } = route(operation, input);
    const { body } = await this.call({ id: 'auth.ticket', operation: ticketOperation, input: {}, options: {} });
    return this.#url + withTicket(path, (body as { ticket: string }).ticket);
  }

  hint(hint: Hint): void {
    this.#hints.give(hint);
  }

  async close(): Promise<void> {
    this.#closing.abort(failClient('unreachable', 'The client is closed'));
  }

  /** Makes a call; once more after a lost connection, if that can't do it twice. */
  async #repeated({ operation, options }: Request, call: () => Promise<Outcome>): Promise<Outcome> {
    // Public operations ignore keys, because a key belongs to a member.
    const isSafe = operation.method === 'GET' || (operation.idempotent !== undefined && operation.who !== 'public');
    const end = Date.now() + limitOf(operation);
    for (let lost = false; ; ) {
      try {
        return await call();
      } catch (error) {
        const wait_ms = isSafe && isFailure(error) ? this.#waitAfter(error, lost) : undefined;
        if (wait_ms === undefined || options.signal?.aborted || Date.now() > end) throw error;
        lost = true;
        await this.#hints.wait(wait_ms, options.signal, this.#closing.signal);
      }
    }
  }

  /** Returns how long to wait before a call is repeated; undefined if it must not be. */
  #waitAfter({ code, retry_after, cause }: Failure, lost: boolean): number | undefined {
    // The first call still runs, although its connection or its page was lost.
    if (code === 'idempotency_in_progress') return (retry_after ?? 1) * 1_000;
    return code === 'unreachable' && cause !== timed_out && !lost ? backOff(this.#back_off, 0) : undefined;
  }

  /** Sends a request with the token; once more with a new one if the token has expired. */
  async #authorized<T>({ who }: OperationData, send: (token: string | undefined) => Promise<T>): Promise<T> {
    if (who === 'public') return send(this.#token.current);
    const token = await this.#token.get();
    if (token === undefined) throw fail('unauthenticated', 'You are not logged in');
    try {
      return await send(token);
    } catch (error) {
      const next = isRefusal(error) ? await this.#token.replace(token) : undefined;
      if (next === undefined) throw error;
      return send(next);
    }
  }

  async #once(request: Request, { token, key }: { token: string | undefined; key: string | undefined }): Promise<Outcome> {
    const { operation, options } = request;
    const { path, body: fields } = route(operation, request.input);
    const onProgress = operation.progress === true ? options.progress : undefined;
    const outgoing: Outgoing = {
      method: operation.method,
      path,
      headers: {
        ...headersOf(token),
        ...(fields === undefined ? {} : strictly),
        ...(onProgress ? { accept: 'text/event-stream, application/json' } : {}),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      timeout_ms: limitOf(operation),
      signal: options.signal,
    };
    if (operation.kind === 'upload') return this.#upload(outgoing, formOf(fields ?? {}, operation.file_field ?? 'file'), options.sent);
    const reply = await this.#send(withJson(outgoing, fields));
    if (onProgress && isEventStream(reply.head))
      return readProgressResponse(reply.chunks(), { server: this.#server, onProgress, signal: options.signal });
    return { body: await (operation.kind === 'file' ? reply.file() : reply.json()), status: reply.head.status };
  }

  async #upload(outgoing: Outgoing, form: FormData, sent?: (bytes: number, total: number) => void): Promise<Outcome> {
    const { XMLHttpRequest } = this.#parts;
    if (!XMLHttpRequest) {
      const reply = await this.#send({ ...outgoing, body: form });
      return { body: await reply.json(), status: reply.head.status };
    }
    const { head, text } = await upload(new XMLHttpRequest(), {
      ...outgoing,
      address: this.#url + outgoing.path,
      form,
      watchdog: this.#watchdog(outgoing),
      server: this.#server,
      sent,
    });
    return { body: answerOf(text, head, this.#server.name), status: head.status };
  }

  async #open(request: Request, cursor: string | undefined, token: string | undefined): Promise<StreamConnection> {
    const { operation, options } = request;
    const { path, body } = route(operation, cursor === undefined ? request.input : { ...request.input, after: undefined });
    const outgoing: Outgoing = {
      method: operation.method,
      path,
      headers: {
        ...headersOf(token),
        ...(body === undefined ? {} : strictly),
        accept: 'text/event-stream',
        ...(cursor === undefined ? {} : { 'last-event-id': cursor }),
      },
      timeout_ms: silence_ms,
      hurried_ms: hurried_silence_ms,
      signal: options.signal,
    };
    const reply = await this.#send(withJson(outgoing, body));
    if (isEventStream(reply.head)) return { chunks: reply.chunks(), close: () => reply.close() };
    await reply.json();
    throw failClient('unexpected_answer', `${this.#server.name} answered ${request.id} without an event stream`);
  }

  async #send(outgoing: Outgoing): Promise<Reply> {
    // Called without an object: browsers refuse any other than the window.
    const { fetch: send = fetch } = this.#parts;
    const watchdog = this.#watchdog(outgoing);
    const { method, headers, body } = outgoing;
    try {
      const init = { method, headers, signal: watchdog.signal, ...(body === undefined ? {} : { body }) };
      const response = await send(this.#url + outgoing.path, init);
      watchdog.fed();
      return new Reply(response, { watchdog, server: this.#server });
    } catch (error) {
      watchdog.stop();
      throw lostBy(error, watchdog, this.#server);
    }
  }

  #watchdog({ timeout_ms, hurried_ms, signal }: Outgoing): Watchdog {
    const { name } = this.#server;
    return new Watchdog({
      limit_ms: timeout_ms,
      hurried_ms,
      hints: this.#hints,
      failure: (silence) =>
        failClient('unreachable', `${name} can't be reached: no answer within ${Math.round(silence / 1000)} s`, { cause: timed_out }),
      signals: [signal, this.#closing.signal],
    });
  }
}

function limitOf({ timeout_ms = default_timeout_ms }: OperationData): number {
  return timeout_ms + grace_ms;
}

/** Returns whether the server doesn't accept the token. Operations have other failures with this status, such as a wrong password. */
function isRefusal(error: unknown): boolean {
  return isFailure(error) && error.status === 401 && ['invalid_token', 'unauthenticated'].includes(error.code);
}

function headersOf(token: string | undefined): Record<string, string> {
  return { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
}

/** Adds the body of a call to a request. */
function withJson(outgoing: Outgoing, fields: Record<string, unknown> | undefined): Outgoing {
  if (fields === undefined) return outgoing;
  return { ...outgoing, headers: { ...outgoing.headers, 'content-type': 'application/json' }, body: JSON.stringify(fields) };
}

/** Returns a random key. `crypto.randomUUID` exists only on pages with https. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
