const encoder = new TextEncoder();
/** So that nobody in between takes a long silence for the end. */
const heartbeat_ms = 15_000;

/** The body of an answer as server-sent events. */
export class Events {
  readonly body: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #resume: (() => void) | undefined;
  #ended = false;
  readonly #beat: NodeJS.Timeout;

  constructor() {
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#go(),
      cancel: () => this.#close(),
    });
    this.#beat = setInterval(() => this.#put(': \n\n'), heartbeat_ms);
  }

  /** A promise where the reader has no room for more; it resolves when there is some. What comes after the end is dropped. */
  send(data: object | '[DONE]'): void | Promise<void> {
    this.#put(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    if (!this.#ended && (this.#controller.desiredSize ?? 0) <= 0) return new Promise((resolve) => (this.#resume = resolve));
  }

  end(): void {
    if (!this.#ended) this.#controller.close();
    this.#close();
  }

  #put(text: string): void {
    if (!this.#ended) this.#controller.enqueue(encoder.encode(text));
  }

  #close(): void {
    this.#ended = true;
    clearInterval(this.#beat);
    this.#go();
  }

  #go(): void {
    this.#resume?.();
    this.#resume = undefined;
  }
}
