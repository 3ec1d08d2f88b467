import { Interrupted } from './exit.js';

/** Ctrl-C while a command runs: it ends the command, unless that has something else to do first. */
export class Interrupts {
  readonly #abort = new AbortController();
  readonly #takers: (() => void)[] = [];
  readonly #raise = () => this.raise();

  constructor() {
    process.on('SIGINT', this.#raise);
  }

  /** Aborts when the command is to end, with {@link Interrupted} unless something else was the reason. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Has a function called instead, until the function that it gives is called. */
  take(taker: () => void): () => void {
    this.#takers.push(taker);
    return () => {
      const index = this.#takers.lastIndexOf(taker);
      if (index !== -1) this.#takers.splice(index, 1);
    };
  }

  /** As if Ctrl-C had been pressed. */
  raise(): void {
    const taker = this.#takers.at(-1);
    if (taker) taker();
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
