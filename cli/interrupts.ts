import { Interrupted } from './exit.js';

/** Handles Ctrl-C while a command runs: it ends the command unless a handler takes precedence. */
export class Interrupts {
  readonly #abort = new AbortController();
  readonly #handlers: (() => void)[] = [];
  readonly #raise = () => this.raise();

  constructor() {
    process.on('SIGINT', this.#raise);
  }

  /** Aborts when the command should end; the reason is {@link Interrupted} by default. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Installs a handler that replaces the default; returns the function that removes it. The last one wins. */
  handle(handler: () => void): () => void {
    this.#handlers.push(handler);
    return () => {
      const index = this.#handlers.lastIndexOf(handler);
      if (index !== -1) this.#handlers.splice(index, 1);
    };
  }

  /** Acts as if Ctrl-C had been pressed. */
  raise(): void {
    const handler = this.#handlers.at(-1);
    if (handler) handler();
    else this.end();
  }

  /** Ends the command. The next Ctrl-C ends the process at once. */
  end(reason: Error = new Interrupted()): void {
    this.dispose();
    this.#abort.abort(reason);
  }

  dispose(): void {
    process.off('SIGINT', this.#raise);
  }
}
