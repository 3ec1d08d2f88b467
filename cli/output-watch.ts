import { setImmediate as turn } from 'node:timers/promises';
import { OutputFailed, ReaderLeft } from './exit.js';
import type { Terminal } from './terminal.js';

/** Detects output that can't be written. A closed pipe is no failure; everything else fails the command. */
export class OutputWatch {
  readonly #terminal: Terminal;
  readonly #lost: (reason: Error) => void;
  #fault: OutputFailed | undefined;

  /** @param lost called with the reason each time a write to standard output fails. */
  constructor(terminal: Terminal, lost: (reason: Error) => void) {
    this.#terminal = terminal;
    this.#lost = lost;
    terminal.stdout.on('error', this.#onOutput);
    terminal.stderr.on('error', this.#onMessages);
  }

  /** Waits until all output is written; returns why it was not. */
  async finish(): Promise<OutputFailed | undefined> {
    const { stdout, stderr } = this.#terminal;
    // A stream reports a failed write one turn later.
    await turn();
    if (stdout.writableLength > 0 && !stdout.destroyed) await new Promise<void>((resolve) => stdout.write('', () => resolve()));
    stdout.off('error', this.#onOutput);
    stderr.off('error', this.#onMessages);
    return this.#fault;
  }

  readonly #onOutput = (fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'EPIPE') this.#fault ??= new OutputFailed('The output', fault);
    this.#lost(this.#fault ?? new ReaderLeft());
  };

  readonly #onMessages = (fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'EPIPE') this.#fault ??= new OutputFailed('Standard error', fault);
  };
}
