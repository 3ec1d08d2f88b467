import { frames } from '../../kernel/client/sse.js';

/** An answer, and who gave it. */
export interface Answered<Body> {
  instance: string;
  status: number;
  body: Body;
}

export interface StreamedEvent {
  id: string | undefined;
  type: string;
  data: { seq: number; message_id: string; delta?: string; message?: { content: string } };
}

/** Asks an address as somebody, and tells who has answered. */
export class Balanced {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token = '') {
    this.#url = url;
    this.#token = token;
  }

  /** The same, for another address. */
  at(url: string): Balanced {
    return new Balanced(url, this.#token);
  }

  async as(username: string, password: string): Promise<Balanced & { token: string }> {
    const { body } = await this.ask<{ access_token: string }>('POST', '/api/auth/login', { username, password });
    return Object.assign(new Balanced(this.#url, body.access_token), { token: body.access_token });
  }

  async ask<Body = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Answered<Body>> {
    const json = body && !(body instanceof FormData);
    const headers = { ...this.#headers(), ...(json ? { 'content-type': 'application/json' } : {}) };
    const sent = json ? JSON.stringify(body) : (body as FormData | undefined);
    const response = await fetch(this.#url + path, { method, headers, body: sent ?? null });
    const text = await response.text();
    return { instance: instanceOf(response), status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Body };
  }

  async stream(path: string, after?: string): Promise<EventReader> {
    const left = new AbortController();
    const headers = { ...this.#headers(), ...(after === undefined ? {} : { 'last-event-id': after }) };
    const response = await fetch(this.#url + path, { headers, signal: left.signal });
    if (!response.body) throw new Error(`${path}: ${response.status}`);
    return new EventReader(instanceOf(response), response.body, left);
  }

  #headers(): Record<string, string> {
    return this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` };
  }
}

/** A stream of a reply, read as far as a test wants. */
export class EventReader {
  readonly instance: string;
  readonly events: StreamedEvent[] = [];
  readonly #left: AbortController;
  readonly #frames: AsyncIterator<{ id?: string; event?: string; data?: string }>;

  constructor(instance: string, body: ReadableStream<Uint8Array>, left: AbortController) {
    this.instance = instance;
    this.#left = left;
    this.#frames = frames(body as unknown as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  }

  /** Reads on until an event is as wanted; the last cursor that it has then. */
  async until(wanted: (event: StreamedEvent) => boolean): Promise<string | undefined> {
    for (;;) {
      const { done, value } = await this.#frames.next();
      if (done) throw new Error(`The stream of ${this.instance} ended after ${JSON.stringify(this.events.slice(-2))}`);
      if (value.data === undefined) continue;
      const event = { id: value.id, type: value.event ?? '', data: JSON.parse(value.data) as StreamedEvent['data'] };
      this.events.push(event);
      if (wanted(event)) return this.events.findLast(({ id }) => id !== undefined)?.id;
    }
  }

  /** As a client that is cut off. */
  leave(): void {
    this.#left.abort();
  }
}

/** The state of a reader that applies the events one by one. */
export function textOf(events: readonly StreamedEvent[]): string {
  let text = '';
  for (const { type, data } of events) {
    if (type === 'snapshot') text = data.message?.content ?? text;
    if (type === 'message.delta') text += data.delta;
  }
  return text;
}

function instanceOf({ headers }: Response): string {
  return headers.get('x-instance') ?? 'nobody';
}
