import type { StreamProgress } from '../kernel/contract/manifest.js';
import type { StreamEvent } from '../kernel/contract/operation.js';
import { Progress } from './progress.js';
import type { Terminal } from './terminal.js';

/** The bar of a stream that tells how far something is. */
export class StreamBar {
  readonly #hint: StreamProgress;
  readonly #progress: Progress;
  readonly #isSeen: boolean;

  constructor(hint: StreamProgress, terminal: Terminal) {
    this.#hint = hint;
    this.#progress = new Progress(terminal, 'fetching');
    this.#isSeen = terminal.stdout.isTTY === true && this.#progress.isDrawn;
  }

  /** Gives whether the bar is all that is to be seen of an event. */
  take({ type, data }: StreamEvent): boolean {
    const { event, done, total } = this.#hint;
    if (type !== event) {
      this.#progress.clear();
      return false;
    }
    const amounts = data as Record<string, unknown>;
    this.#progress.at(Number(amounts[done] ?? 0), Number(amounts[total] ?? 0));
    return this.#isSeen;
  }

  failed({ type, data }: StreamEvent): boolean {
    const { status } = data as { status?: string };
    return type === 'done' && status !== undefined && this.#hint.failed?.includes(status) === true;
  }

  end(): void {
    this.#progress.end();
  }
}
