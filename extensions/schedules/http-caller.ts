import type { Context } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { HttpAnswer, HttpRequest } from './contract.js';

/** Of the answer that is shown, in characters. */
const longest_body = 4_000;
const most_bytes = 1024 * 1024;
const timeout_ms = 110_000;

/** Calls addresses on the web, by the platform's guarded fetch. */
export class HttpCaller {
  readonly #fetch: Context['fetch'];

  constructor(fetch: Context['fetch']) {
    this.#fetch = fetch;
  }

  /** Fails with `http_status` where the status is not one that is expected, and as the guarded fetch does. */
  async request({ url, method = 'GET', headers = {}, body, expect }: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const sent = body === undefined || body === '' ? {} : { body };
    const answer = await this.#fetch(url, { method, headers, timeout_ms, max_bytes: most_bytes, signal, ...sent });
    const { status } = answer;
    const text = answer.body.toString('utf8').replaceAll('\0', '\uFFFD').slice(0, longest_body).toWellFormed();
    const expected = expect ? expect.includes(status) : status >= 200 && status < 300;
    if (!expected) throw fail('http_status', `${new URL(answer.url).host} answered ${status}${text ? `: ${text.slice(0, 500)}` : ''}`);
    return { status, body: text };
  }
}
