import type { PluginContext } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import type { Limiter, Release } from '../../contract/limiter.js';
import type { CheckedFetchOptions } from '../net/exchange.js';
import type { FetchEvent } from './messages.js';
import { UnbufferedChannel } from './unbuffered-channel.js';

type Fields = Readonly<Record<string, unknown>>;

const max_headers = 100;
const max_header_characters = 32_768;
const methods = /^[A-Za-z]{1,20}$/;
/** Values that a plugin may ask for; others are clamped. */
const ranges = {
  timeout_ms: { min: 1, max: 120_000 },
  max_bytes: { min: 0, max: 10 * 1024 * 1024 },
  max_redirects: { min: 0, max: 10 },
} as const;
/** Limit of a body piece in one event. */
const piece_bytes = 48 * 1024;

export interface PluginFetchParts {
  ctx: Pick<PluginContext, 'fetch'>;
  /** Fails unless the plugin may reach an address. */
  reach: (url: URL) => void;
  /** Limits the fetches whose bodies are read concurrently. */
  limiter: Limiter;
}

/**
 * Fetches an address for a plugin, and streams the body, so that the platform never holds it whole. The last event is the rest of
 * the response.
 */
export async function* fetchForPlugin(
  { ctx, reach, limiter }: PluginFetchParts,
  params: Fields,
  signal: AbortSignal,
): AsyncGenerator<FetchEvent> {
  const { url, options } = readFetch(params);
  const pieces = new UnbufferedChannel<string>();
  const stop = new AbortController();
  let slot: Promise<Release> | undefined;
  const take = async (bytes: Uint8Array) => {
    slot ??= limiter.acquire();
    await slot;
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < body.length; at += piece_bytes) await pieces.send(body.toString('base64', at, at + piece_bytes));
  };
  const checked: CheckedFetchOptions = { ...options, signal: AbortSignal.any([signal, stop.signal]), permit: reach, take };
  const answer = ctx.fetch(url, checked).finally(() => pieces.close());
  answer.catch(() => undefined);
  try {
    for await (const piece of pieces) yield { piece };
    const { status, headers, url: reached } = await answer;
    yield { answer: { status, headers, url: reached } };
  } finally {
    // The reader has left, or the fetch is over.
    stop.abort(fail('not_found', 'The reader of the response has left'));
    pieces.close();
    void slot?.then((release) => release());
  }
}

/** Validates a plugin's request by types and {@link ranges}. Fails with `invalid_input`. */
function readFetch(params: Fields): { url: string; options: CheckedFetchOptions } {
  const { url, method, headers, body, redirect } = params;
  if (typeof url !== 'string') throw invalid('url', 'a text');
  if (method !== undefined && (typeof method !== 'string' || !methods.test(method))) throw invalid('method', 'the name of a method');
  if (redirect !== undefined && redirect !== 'follow' && redirect !== 'manual') throw invalid('redirect', "'follow' or 'manual'");
  if (body !== undefined && typeof body !== 'string') throw invalid('body', 'a text or bytes');
  const options: CheckedFetchOptions = {
    ...(method === undefined ? {} : { method }),
    ...(redirect === undefined ? {} : { redirect }),
    ...(body === undefined ? {} : { body: Buffer.from(body, 'base64') }),
    ...(headers === undefined ? {} : { headers: readHeaders(headers) }),
    ...clamped('timeout_ms', params.timeout_ms),
    ...clamped('max_bytes', params.max_bytes),
    ...clamped('max_redirects', params.max_redirects),
  };
  return { url, options };
}

function clamped<Name extends keyof typeof ranges>(name: Name, value: unknown): { [Key in Name]?: number } {
  if (value === undefined) return {};
  if (typeof value !== 'number' || Number.isNaN(value)) throw invalid(name, 'a number');
  const { min, max } = ranges[name];
  return { [name]: Math.trunc(Math.min(max, Math.max(min, value))) } as { [Key in Name]?: number };
}

function readHeaders(headers: unknown): Readonly<Record<string, string>> {
  const isObject = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
  const entries = isObject ? Object.entries(headers as Fields) : [];
  if (!isObject || !entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    throw invalid('headers', 'an object of texts');
  const characters = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (entries.length > max_headers || characters > max_header_characters)
    throw invalid('headers', `at most ${max_headers}, of ${max_header_characters} characters together`);
  return Object.fromEntries(entries);
}

function invalid(name: string, expected: string) {
  const message = `'${name}' of a fetch must be ${expected}`;
  return fail('invalid_input', message, { details: [{ path: name, message }] });
}
