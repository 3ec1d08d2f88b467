import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web';
import type { Dispatcher } from 'undici';

type Handler = Dispatcher.DispatchHandler;
type Connection = Dispatcher.DispatchController;

/** Buffer limit of a stream whose reader is slow, in bytes. */
const BUFFER_BYTES = 65_536;

/**
 * Passes an event stream directly from its connection to its reader. The client would pass each chunk of a body through
 * three streams, with a dozen promises for a few bytes, while hundreds of models answer at once. The
 * client's own body stays empty: it only signals the end, a failure or an abort.
 */
export class EventStream {
  #body: ReadableStream<Uint8Array> | undefined;
  #reader!: ReadableStreamDefaultController<Uint8Array>;
  #ended = false;
  #resolvePull: () => void = () => undefined;
  #cancel: (reason: unknown) => Promise<void> = async () => undefined;

  /** The body; undefined until an event stream has started. */
  get body(): ReadableStream<Uint8Array> | undefined {
    return this.#body;
  }

  /** Wraps the client's handler for one call with its redirects. */
  wrap(client: Handler): Handler {
    return {
      onRequestStart: (...started) => client.onRequestStart?.(...started),
      onRequestUpgrade: (...upgraded) => client.onRequestUpgrade?.(...upgraded),
      onResponseStart: (connection, status, headers, text) => {
        if (status === 200 && isEvents(headers)) this.#body = this.#open(connection);
        client.onResponseStart?.(connection, status, headers, text);
      },
      onResponseData: (connection, part) => (this.#body ? this.#enqueue(connection, part) : client.onResponseData?.(connection, part)),
      onResponseEnd: (...ended) => client.onResponseEnd?.(...ended),
      onResponseError: (...failed) => client.onResponseError?.(...failed),
    };
  }

  /** Ends or fails with the client's own body, and cancels that body if the reader cancels. */
  follow(clientBody: ReadableStream<Uint8Array>): void {
    const reader = clientBody.getReader();
    this.#cancel = (reason) => reader.cancel(reason);
    reader.read().then(
      () => this.#end(() => this.#reader.close()),
      (fault: unknown) => this.#end(() => this.#reader.error(fault)),
    );
  }

  #open(connection: Connection): ReadableStream<Uint8Array> {
    const source = {
      start: (reader: ReadableStreamDefaultController<Uint8Array>) => {
        this.#reader = reader;
      },
      // Stays pending while there is room: otherwise it would be called for each chunk. More may arrive before `resume` returns.
      pull: () =>
        new Promise<void>((resolve) => {
          this.#resolvePull = resolve;
          connection.resume();
        }),
      cancel: (reason: unknown) => {
        this.#ended = true;
        return this.#cancel(reason);
      },
    };
    return new ReadableStream(source, { highWaterMark: BUFFER_BYTES, size: ({ byteLength }) => byteLength });
  }

  #enqueue(connection: Connection, part: Uint8Array): void {
    if (this.#ended) return;
    this.#reader.enqueue(part);
    if ((this.#reader.desiredSize ?? 0) > 0) return;
    connection.pause();
    this.#resolvePull();
  }

  #end(end: () => void): void {
    if (!this.#ended) end();
    this.#ended = true;
  }
}

/** Returns whether a response is an uncompressed event stream. */
function isEvents(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const type = headers['content-type'];
  return typeof type === 'string' && /^text\/event-stream\b/i.test(type) && headers['content-encoding'] === undefined;
}
