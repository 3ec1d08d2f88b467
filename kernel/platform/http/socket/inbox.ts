/** Handles the frames of one client one by one, in order of arrival. */
export class Inbox {
  readonly #handle: (text: string) => Promise<void>;
  readonly #max_bytes: number;
  #waiting: { text: string; bytes: number }[] = [];
  #bytes = 0;
  #phase: 'shut' | 'idle' | 'busy' | 'closed' = 'shut';

  /** @param handle must not throw. */
  constructor(max_bytes: number, handle: (text: string) => Promise<void>) {
    this.#max_bytes = max_bytes;
    this.#handle = handle;
  }

  /** Queues a frame; returns false if the queue exceeds its limit. */
  add(text: string, bytes: number): boolean {
    if (this.#phase === 'closed') return true;
    this.#waiting.push({ text, bytes });
    this.#bytes += bytes;
    if (this.#phase === 'idle') void this.#work();
    return this.#bytes <= this.#max_bytes;
  }

  /** Starts to handle frames. */
  open(): void {
    if (this.#phase === 'shut') void this.#work();
  }

  close(): void {
    this.#phase = 'closed';
    this.#waiting = [];
  }

  async #work(): Promise<void> {
    this.#phase = 'busy';
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await this.#handle(next.text);
      this.#bytes -= next.bytes;
    }
    if (this.#phase === 'busy') this.#phase = 'idle';
  }
}
