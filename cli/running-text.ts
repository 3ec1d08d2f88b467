import type { RunningText } from '../kernel/contract/manifest.js';
import type { StreamEvent } from '../kernel/contract/operation.js';
import { harmless } from './terminal.js';

/** Makes one text of a stream's events; gives what each event adds to what was written. */
export class Text {
  readonly #hint: RunningText;
  #written = '';

  constructor(hint: RunningText) {
    this.#hint = hint;
  }

  take({ type, data }: StreamEvent): string {
    if (type === this.#hint.delta) return this.#add(String((data as { delta?: unknown }).delta ?? ''));
    const whole = at(data, this.#hint.whole);
    if (typeof whole !== 'string' || whole === this.#written) return '';
    if (whole.startsWith(this.#written)) return this.#add(whole.slice(this.#written.length));
    // It was replaced by another one, which starts on a line of its own.
    this.#written = '';
    return `\n${this.#add(whole)}`;
  }

  /** What is to be told beside the text, on a line of its own; undefined where nothing is. */
  notice({ type, data }: StreamEvent): string | undefined {
    const template = this.#hint.notices?.[type];
    return template?.replace(/\{([\w.]+)\}/g, (_match, path: string) => harmless(String(at(data, path) ?? '')));
  }

  /** Whether what it tells of has failed. */
  failed({ data }: StreamEvent): boolean {
    const { status } = this.#hint;
    return status !== undefined && status in data && at(data, status) !== 0;
  }

  /** Ends the last line. */
  end(): string {
    return this.#written === '' || this.#written.endsWith('\n') ? '' : '\n';
  }

  #add(text: string): string {
    this.#written += text;
    return harmless(text);
  }
}

function at(data: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], data);
}
