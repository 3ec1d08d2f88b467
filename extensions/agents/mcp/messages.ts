/** Fields of a JSON-RPC message that the endpoint reads. */
export interface Message {
  jsonrpc: '2.0';
  method?: string;
  params?: { requestId?: string | number; arguments?: unknown };
}

/** Returns the messages of a body, one or a non-empty batch; undefined if one of them is not JSON-RPC. */
export function messagesOf(body: unknown): readonly Message[] | undefined {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.length > 0 && messages.every(isMessage) ? messages.map(withoutNulls) : undefined;
}

/** Drops nulls: some clients send null for omitted fields. */
function withoutNulls(message: Message): Message {
  const { params, ...rest } = message;
  if (params === undefined || params === null) return rest;
  const { arguments: input, ...others } = params;
  return { ...rest, params: input === undefined || input === null ? others : params };
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && (value as { jsonrpc?: unknown }).jsonrpc === '2.0';
}

/** Key of a client's request: ids are unique within its session. */
interface RequestKey {
  token_id: string;
  /** Session id from initialisation; without it, requests of two clients can't be told apart. */
  session: string | undefined;
  id: string | number;
}

/** Tracks running calls, so that a client can cancel one with another request. */
export class Cancellations {
  readonly #running = new Map<string, AbortController>();

  /** Runs work with a signal that aborts if its request is cancelled or `signal` aborts. */
  async during<T>(request: RequestKey, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const key = keyOf(request);
    if (key === undefined || this.#running.has(key)) return work(signal);
    const controller = new AbortController();
    this.#running.set(key, controller);
    try {
      return await work(AbortSignal.any([signal, controller.signal]));
    } finally {
      this.#running.delete(key);
    }
  }

  /** Aborts the requests that these messages cancel. */
  cancel(messages: readonly Message[], from: Omit<RequestKey, 'id'>): void {
    for (const { method, params } of messages) {
      const key =
        method === 'notifications/cancelled' && params?.requestId !== undefined ? keyOf({ ...from, id: params.requestId }) : undefined;
      if (key !== undefined) this.#running.get(key)?.abort(new Error('The client has cancelled this call'));
    }
  }
}

function keyOf({ token_id, session, id }: RequestKey): string | undefined {
  return session === undefined ? undefined : JSON.stringify([token_id, session, id]);
}
