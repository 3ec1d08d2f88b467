import { harmless } from '../kernel/client/terminal-text.js';
import { isFailure } from '../kernel/contract/failure.js';
import type { NotifyKind } from './kit/context.js';
import { Store } from './store.js';

export interface Notice {
  text: string;
  kind: NotifyKind;
}

const info_ms = 4_000;
const error_ms = 10_000;

/** Holds the last notice, shown above the footer for some seconds. */
export class Notices extends Store<Notice | undefined> {
  readonly #hintOf: (code: string) => string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(hintOf: (code: string) => string | undefined) {
    super(undefined);
    this.#hintOf = hintOf;
  }

  notify = (text: string, kind: NotifyKind = 'info'): void => {
    this.set({ text: harmless(text).replace(/\s+/g, ' '), kind });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.clear(), kind === 'error' ? error_ms : info_ms).unref();
  };

  failed = (thrown: unknown): void => {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const hint = isFailure(thrown) ? this.#hintOf(thrown.code) : undefined;
    const code = isFailure(thrown) ? ` (${thrown.code})` : '';
    this.notify(`${message}${code}${hint === undefined ? '' : `; ${hint}`}`, 'error');
  };

  /** Removes an error after a later success. */
  clearError(): void {
    if (this.get()?.kind === 'error') this.clear();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.set(undefined);
  }
}
