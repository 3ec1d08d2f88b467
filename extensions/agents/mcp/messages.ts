/** The fields of a JSON-RPC message that the door reads. */
export interface Message {
  jsonrpc: '2.0';
  method?: string;
  params?: { requestId?: string | number; arguments?: unknown };
}

/** The messages of a body, one or a batch of at least one; undefined if one of them is no JSON-RPC message. */
export function messagesOf(body: unknown): readonly Message[] | undefined {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.length > 0 && messages.every(isMessage) ? messages.map(withoutNulls) : undefined;
}

/** Some clients write null for what they leave out. */
function withoutNulls(message: Message): Message {
  const { params, ...rest } = message;
  if (params === undefined || params === null) return rest;
  const { arguments: given, ...others } = params;
  return { ...rest, params: given === undefined || given === null ? others : params };
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && (value as { jsonrpc?: unknown }).jsonrpc === '2.0';
}

/** A client's request: ids are unique within its session. */
interface RequestKey {
  token_id: string;
  /** The session id that the client got when it was initialised; without it two clients' requests can't be told apart. */
  session: string | undefined;
  id: string | number;
}

/** The calls that run here, so that a client can cancel one by another request. */
export class Cancellations {
  readonly #running = new Map<string, AbortController>();

  /** Runs work with a signal that aborts if its request is cancelled, or `signal` aborts. */
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
  take(messages: readonly Message[], from: Omit<RequestKey, 'id'>): void {
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
