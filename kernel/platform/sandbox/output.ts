import type { Readable } from 'node:stream';

const line_length = 2_000;
const lines_per_second = 100;
const bytes_per_second = 1024 * 1024;
const second_ms = 1_000;

/**
 * Reads the lines of a process: truncates long ones, and counts those above the limit a
 * second. A process that writes more than 1 MiB a second is paused until the next second.
 */
export class Output {
  readonly #stream: Readable;
  readonly #line: (text: string) => void;
  #rest = '';
  /** Whether the rest of a truncated line is being skipped. */
  #skipping = false;
  #lines = 0;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing = false;

  constructor(stream: Readable, line: (text: string) => void) {
    this.#stream = stream;
    this.#line = line;
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => this.#read(text));
    stream.on('error', () => {});
    stream.on('close', () => this.#end());
  }

  /** Reads the remaining output without pauses: the writer is gone. */
  flush(): void {
    this.#flushing = true;
    this.#stream.resume();
  }

  #read(text: string): void {
    this.#timer ??= setTimeout(() => this.#nextSecond(), second_ms);
    this.#bytes += text.length;
    if (this.#bytes > bytes_per_second && !this.#flushing) this.#stream.pause();
    const [first = '', ...others] = text.split('\n');
    this.#append(first);
    for (const other of others) {
      this.#finish();
      this.#append(other);
    }
  }

  #append(text: string): void {
    if (this.#skipping) return;
    this.#rest += text.slice(0, line_length + 1 - this.#rest.length);
    this.#skipping = this.#rest.length > line_length;
  }

  #finish(): void {
    const line = this.#skipping ? `${this.#rest.slice(0, line_length)}…` : this.#rest;
    this.#rest = '';
    this.#skipping = false;
    if (line === '') return;
    this.#lines += 1;
    if (this.#lines <= lines_per_second) this.#line(line);
  }

  #nextSecond(): void {
    this.#timer = undefined;
    const dropped = this.#lines - lines_per_second;
    this.#lines = 0;
    this.#bytes = 0;
    if (dropped > 0) this.#line(`… and ${dropped} more lines`);
    if (this.#stream.isPaused()) this.#stream.resume();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#finish();
    this.#nextSecond();
  }
}
