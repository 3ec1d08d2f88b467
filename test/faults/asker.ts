import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, FormData, request } from 'undici';

export interface Question {
  method: 'GET' | 'POST';
  path: string;
  body?: object | FormData;
  /** The same for each try. */
  idempotency_key?: string;
  /** Numbers of the instances to ask; default: all in turn. */
  at?: readonly number[];
  /** Answers below 500 that are as good as a success. */
  accept?: (answer: Answer) => boolean;
}

export interface Answer {
  status: number;
  bytes: Buffer;
  /** Number of the try that it answers, from 1. */
  tries: number;
}

/** A try that takes longer is given up, and the next instance asked. */
const patience_ms = 3_000;
/** Longer than any fault lasts, with what follows it. */
export const acknowledged_ms = 60_000;
const pause_ms = 100;
/** A retry may succeed: too many requests, another try in progress, another system or a part of ours is away, the disk is full. */
const passing = new Set([429, 502, 503, 504, 507]);

/** Parses an answer as JSON. */
export function contentOf<T>({ bytes }: Answer): T {
  return JSON.parse(bytes.toString()) as T;
}

/** A client that asks whichever instance answers. */
export class Asker {
  readonly #urls: readonly string[];
  readonly #complain: (sentence: string) => void;
  readonly #agent = new Agent({ connections: 32, headersTimeout: patience_ms, bodyTimeout: patience_ms, connectTimeout: patience_ms });
  #authorization = '';
  #turn = 0;

  /** @param complain - told of answers that no fault excuses */
  constructor(urls: readonly string[], complain: (sentence: string) => void) {
    this.#urls = urls;
    this.#complain = complain;
  }

  get instances(): number[] {
    return [...this.#urls.keys()];
  }

  async logIn(username: string, password: string): Promise<void> {
    const body = { username, password };
    const { access_token } = contentOf<{ access_token: string }>(await this.ask({ method: 'POST', path: '/api/auth/login', body }));
    this.#authorization = `Bearer ${access_token}`;
  }

  /** Asks until there is an answer that stands, again and again with the same key. */
  async ask(question: Question): Promise<Answer> {
    const { method, path, at = this.instances, accept = () => false } = question;
    const end = performance.now() + acknowledged_ms;
    for (let last = 'nothing', tries = 1; performance.now() < end; tries += 1, await sleep(pause_ms)) {
      this.#turn += 1;
      const answer = await this.once(question, at[this.#turn % at.length] as number).catch((fault: Error) => fault);
      if (!(answer instanceof Error) && (answer.status < 300 || accept(answer))) return { ...answer, tries };
      last = answer instanceof Error ? answer.message : `${answer.status} ${answer.bytes.toString().slice(0, 300)}`;
      if (answer instanceof Error || this.#passes(answer)) continue;
      this.#complain(`${method} ${path} was answered ${last}`);
      if (answer.status < 500) throw new Error(`${method} ${path} was refused: ${last}`);
    }
    throw new Error(`${method} ${path} was not acknowledged within ${acknowledged_ms / 1000} s`);
  }

  /** One try at one instance; throws where the connection fails. */
  async once({ method, path, body, idempotency_key }: Question, at: number): Promise<Answer> {
    const isForm = body instanceof FormData;
    const response = await request(`${this.#urls[at]}${path}`, {
      method,
      dispatcher: this.#agent,
      signal: AbortSignal.timeout(patience_ms),
      headers: { ...this.#headers(idempotency_key), ...(body && !isForm ? { 'content-type': 'application/json' } : {}) },
      body: body === undefined ? null : isForm ? body : JSON.stringify(body),
    });
    return { status: response.statusCode, bytes: Buffer.from(await response.body.arrayBuffer()), tries: 1 };
  }

  /** An event stream after a cursor; ends with its connection. */
  async open(path: string, { at, after, signal }: { at: number; after: string | undefined; signal: AbortSignal }) {
    const headers = { ...this.#headers(), ...(after === undefined ? {} : { 'last-event-id': after }) };
    return request(`${this.#urls[at]}${path}`, { dispatcher: this.#agent, headers, signal });
  }

  /** Closes its connections. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #headers(key?: string): Record<string, string> {
    return { authorization: this.#authorization, ...(key === undefined ? {} : { 'idempotency-key': key.replaceAll(' ', '-') }) };
  }

  #passes({ status, bytes }: Answer): boolean {
    return passing.has(status) || (status === 409 && bytes.includes('idempotency_in_progress'));
  }
}
