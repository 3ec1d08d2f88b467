import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web';
import type { Dispatcher } from 'undici';

type Handler = Dispatcher.DispatchHandler;
type Connection = Dispatcher.DispatchController;

/** What is kept of a stream that is read slower than it comes, in bytes. */
const KEPT_BYTES = 65_536;

/**
 * Brings a stream of events from its connection to its reader. The client hands each part of a body through
 * three streams, which makes a dozen promises for a few bytes, and hundreds of models answer at once. Here the
 * client's own body stays empty: it tells of the end, the failure and the abort alone.
 */
export class EventStream {
  #body: ReadableStream<Uint8Array> | undefined;
  #reader!: ReadableStreamDefaultController<Uint8Array>;
  #over = false;
  #full: () => void = () => undefined;
  #cancel: (reason: unknown) => Promise<void> = async () => undefined;

  /** Undefined until a response has begun that is such a stream. */
  get body(): ReadableStream<Uint8Array> | undefined {
    return this.#body;
  }

  /** Stands between the connection and the client, for one call with its redirects. */
  between(client: Handler): Handler {
    return {
      onRequestStart: (...started) => client.onRequestStart?.(...started),
      onRequestUpgrade: (...upgraded) => client.onRequestUpgrade?.(...upgraded),
      onResponseStart: (connection, status, headers, text) => {
        if (status === 200 && isEvents(headers)) this.#body = this.#open(connection);
        client.onResponseStart?.(connection, status, headers, text);
      },
      onResponseData: (connection, part) => (this.#body ? this.#put(connection, part) : client.onResponseData?.(connection, part)),
      onResponseEnd: (...ended) => client.onResponseEnd?.(...ended),
      onResponseError: (...failed) => client.onResponseError?.(...failed),
    };
  }

  /** Ends and fails as the client's own body does, and cancels it where its reader leaves. */
  follow(own: ReadableStream<Uint8Array>): void {
    const end = own.getReader();
    this.#cancel = (reason) => end.cancel(reason);
    end.read().then(
      () => this.#end(() => this.#reader.close()),
      (fault: unknown) => this.#end(() => this.#reader.error(fault)),
    );
  }

  #open(connection: Connection): ReadableStream<Uint8Array> {
    const source = {
      start: (reader: ReadableStreamDefaultController<Uint8Array>) => {
        this.#reader = reader;
      },
      // Lasts while there is room: otherwise it is called for each part. More may come before `resume` returns.
      pull: () =>
        new Promise<void>((resolve) => {
          this.#full = resolve;
          connection.resume();
        }),
      cancel: (reason: unknown) => {
        this.#over = true;
        return this.#cancel(reason);
      },
    };
    return new ReadableStream(source, { highWaterMark: KEPT_BYTES, size: ({ byteLength }) => byteLength });
  }

  #put(connection: Connection, part: Uint8Array): void {
    if (this.#over) return;
    this.#reader.enqueue(part);
    if ((this.#reader.desiredSize ?? 0) > 0) return;
    connection.pause();
    this.#full();
  }

  #end(end: () => void): void {
    if (!this.#over) end();
    this.#over = true;
  }
}

/** Whether a body is one that is not compressed. */
function isEvents(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const type = headers['content-type'];
  return typeof type === 'string' && /^text\/event-stream\b/i.test(type) && headers['content-encoding'] === undefined;
}
