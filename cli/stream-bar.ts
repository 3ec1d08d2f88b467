import type { StreamProgress } from '../kernel/contract/manifest.js';
import type { StreamEvent } from '../kernel/contract/operation.js';
import { Progress } from './progress.js';
import type { Terminal } from './terminal.js';

/** Shows the progress events of a stream as a bar. */
export class StreamBar {
  readonly #hint: StreamProgress;
  readonly #progress: Progress;
  readonly #isVisible: boolean;

  constructor(hint: StreamProgress, terminal: Terminal) {
    this.#hint = hint;
    this.#progress = new Progress(terminal, 'downloading');
    this.#isVisible = terminal.stdout.isTTY === true && this.#progress.isDrawn;
  }

  /** Handles an event; returns whether the bar already shows all of it. */
  take({ type, data }: StreamEvent): boolean {
    const { event, done, total } = this.#hint;
    if (type !== event) {
      this.#progress.clear();
      return false;
    }
    const amounts = data as Record<string, unknown>;
    this.#progress.at(Number(amounts[done] ?? 0), Number(amounts[total] ?? 0));
    return this.#isVisible;
  }

  /** Returns whether the final event reports a failure. */
  failed({ type, data }: StreamEvent): boolean {
    const { status } = data as { status?: string };
    return type === 'done' && status !== undefined && this.#hint.failed?.includes(status) === true;
  }

  end(): void {
    this.#progress.end();
  }
}
