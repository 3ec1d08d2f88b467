import type { Agent, Response, fetch as undiciFetch } from 'undici';
import type { FetchAnswer, FetchOptions } from '../../contract/extension.js';
import { fail, failureIn } from './failures.js';
import { REDIRECTS, type Request, readRequest, redirectRequest } from './request.js';

export interface Client {
  readonly fetch: typeof undiciFetch;
  readonly Response: typeof Response;
  readonly agent: Agent;
}

/** Further options for the kernel itself. */
export interface CheckedFetchOptions extends FetchOptions {
  /** Checks the address of each request, including redirects; a thrown error ends the call. */
  permit?: (url: URL) => void;
  /** Consumes the decoded body in pieces with backpressure; the response's `body` stays empty. */
  take?: (piece: Uint8Array) => Promise<void>;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 10 * 1024 * 1024;
const MAX_REDIRECTS = 5;

/** Runs one call with its redirects, within its limits. */
export async function exchange(client: Client, url: string, options: CheckedFetchOptions): Promise<FetchAnswer> {
  const request = readRequest(url, options);
  const { timeout_ms = TIMEOUT_MS, signal } = options;
  const stop = new AbortController();
  const abort = (): void => stop.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => stop.abort(fail('fetch_timeout', `${name(request)} took longer than ${timeout_ms} ms`)), timeout_ms);
  try {
    return await follow(client, request, { ...options, signal: stop.signal });
  } catch (error) {
    if (stop.signal.aborted) throw stop.signal.reason;
    throw failureIn(error) ?? fail('fetch_failed', `${name(request)} failed: ${rootOf(error).message}`, { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

async function follow(client: Client, first: Request, options: CheckedFetchOptions & { signal: AbortSignal }): Promise<FetchAnswer> {
  const { max_redirects = MAX_REDIRECTS, redirect = 'follow', signal } = options;
  let request = first;
  for (let redirects = 0; ; redirects += 1) {
    options.permit?.(request.url);
    const response = await send(client, request, signal);
    const location = redirect === 'follow' && REDIRECTS.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return answer(request, response, options);
    await response.body?.cancel();
    if (redirects >= max_redirects) throw fail('fetch_failed', `${name(first)} was redirected more than ${max_redirects} times`);
    request = redirectRequest(request, response.status, location);
  }
}

function send(client: Client, { url, method, headers, body }: Request, signal: AbortSignal): Promise<Response> {
  return client.fetch(url, { method, headers: [...headers], body: body ?? null, redirect: 'manual', signal, dispatcher: client.agent });
}

async function answer(request: Request, response: Response, limits: BodyLimits): Promise<FetchAnswer> {
  const body = await readBody(request, response, limits);
  const headers: Record<string, string> = {};
  for (const [key, value] of response.headers) headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
  // These headers describe the encoded bytes, but the body is decoded.
  if ('content-encoding' in headers) for (const header of ['content-encoding', 'content-length']) delete headers[header];
  return { status: response.status, headers, body, url: request.url.href };
}

type BodyLimits = Pick<CheckedFetchOptions, 'max_bytes' | 'take'> & { signal: AbortSignal };

/** Reads the decoded body within its size limit. */
async function readBody(request: Request, response: Response, { max_bytes = MAX_BYTES, take, signal }: BodyLimits): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  try {
    for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) {
      size += step.value.byteLength;
      if (size > max_bytes) throw fail('fetch_too_large', `${name(request)} returned more than ${max_bytes} bytes`);
      if (take) await unlessAborted(take(step.value), signal);
      else chunks.push(step.value);
    }
  } catch (fault) {
    reader?.cancel().catch(() => {});
    throw fault;
  }
  return Buffer.concat(chunks);
}

/** Rejects when the signal aborts: a consumer may never finish. */
function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Names a request by method and origin; path and query may contain secrets. */
function name({ method, url }: Request): string {
  return `${method} ${url.origin}`;
}

function rootOf(thrown: unknown): Error {
  let error = thrown instanceof Error ? thrown : new Error(String(thrown));
  for (let depth = 0; error.cause instanceof Error && depth < 5; depth += 1) error = error.cause;
  return error;
}
