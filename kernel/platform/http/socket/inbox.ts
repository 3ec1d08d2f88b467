/** Frames of one client, handled one after the other in the order in which they came. */
export class Inbox {
  readonly #handle: (text: string) => Promise<void>;
  readonly #max_bytes: number;
  #waiting: { text: string; bytes: number }[] = [];
  #bytes = 0;
  #phase: 'shut' | 'idle' | 'busy' | 'closed' = 'shut';

  /** @param handle never throws. */
  constructor(max_bytes: number, handle: (text: string) => Promise<void>) {
    this.#max_bytes = max_bytes;
    this.#handle = handle;
  }

  /** False where too much waits already. */
  add(text: string, bytes: number): boolean {
    if (this.#phase === 'closed') return true;
    this.#waiting.push({ text, bytes });
    this.#bytes += bytes;
    if (this.#phase === 'idle') void this.#work();
    return this.#bytes <= this.#max_bytes;
  }

  /** From now on frames are handled. */
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
