/** What a server may send from one question to the next. */
const most_bytes = 16 * 1024 * 1024;

/** Counts what a server sends, so that none can drown the platform. */
export class Flow {
  #bytes = 0;

  /** A question begins. */
  renew(): void {
    this.#bytes = 0;
  }

  /** Fails where it is too much. */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > most_bytes) throw new Error(`it sent more than ${most_bytes} bytes for one question`);
  }
}

/** The same `fetch`, whose answers' bodies are counted. */
export function countedFetch(fetch: typeof globalThis.fetch, flow: Flow): typeof globalThis.fetch {
  return async (input, init) => {
    // Without a question a server has nothing to say; tools are listed anew where they are needed.
    if ((init?.method ?? 'GET') === 'GET') return new Response(null, { status: 405 });
    const answer = await fetch(input, init);
    return answer.body ? new Response(counted(answer.body, flow), answer) : answer;
  };
}

function counted(body: ReadableStream<Uint8Array>, flow: Flow): ReadableStream<Uint8Array> {
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      flow.count(chunk.length);
      controller.enqueue(chunk);
    },
  });
  return body.pipeThrough(counter);
}
