import type { Context, FetchOptions } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { HttpAnswer, HttpRequest } from './contract.js';

/** Limit of the returned response text in characters. */
const max_body_length = 4_000;
const max_bytes = 1024 * 1024;
const timeout_ms = 110_000;

/** Sends HTTP requests through the platform's guarded fetch. */
export class HttpCaller {
  readonly #fetch: Context['fetch'];

  constructor(fetch: Context['fetch']) {
    this.#fetch = fetch;
  }

  /** Fails with `http_status` if the status is unexpected, and as the guarded fetch does. */
  async request({ url, method = 'GET', headers = {}, body, expect }: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const sent = requestBodyOf(headers, body);
    const answer = await this.#fetch(url, { method, timeout_ms, max_bytes, signal, ...sent });
    const { status } = answer;
    const text = answer.body.toString('utf8').replaceAll('\0', '\uFFFD').slice(0, max_body_length).toWellFormed();
    const expected = expect ? expect.includes(status) : status >= 200 && status < 300;
    if (!expected) throw fail('http_status', `${new URL(answer.url).host} answered ${status}${text ? `: ${text.slice(0, 500)}` : ''}`);
    return { status, body: text };
  }
}

type Sent = Pick<FetchOptions, 'headers' | 'body'>;

/** The body to send, with its type unless a header sets one. An empty text is no body. */
function requestBodyOf(headers: Record<string, string>, body: HttpRequest['body']): Sent {
  if (body === undefined || body === '') return { headers };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  if (hasType || (typeof body === 'string' && !isJson(body))) return { headers, body: text };
  return { headers: { ...headers, 'content-type': 'application/json' }, body: text };
}

/** Whether a text is a JSON object or array; a number or a word is more likely meant as text. */
function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
