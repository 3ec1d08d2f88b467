import { size } from '../kernel/client/size.js';
import type { CallOptions } from '../kernel/client/transport.js';
import type { Step } from '../kernel/contract/operation.js';
import { cut, width } from './table.js';
import { harmless, type Terminal } from './terminal.js';
import { duration } from './units.js';

/** Delay before the line appears: short work shows nothing. */
const show_after_ms = 400;
const redraw_ms = 100;
const bar_columns = 24;
const clear_line = '\r\u001B[K';

interface Amount {
  done: number;
  /** 0 if unknown. */
  total: number;
}

/**
 * Shows the progress of some work in one line on standard error: a bar if the amount is known, otherwise the elapsed
 * time. Only on a terminal, after a short delay; removed at the end.
 */
export class Progress {
  /** Whether standard error can show it. */
  readonly isDrawn: boolean;
  readonly #terminal: Terminal;
  #label: string;
  readonly #format: (amount: number) => string;
  readonly #begun_ms = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #amount: Amount | undefined;
  #drawn = false;

  /** @param format formats an amount. Default: as bytes. */
  constructor(terminal: Terminal, label: string, format: (amount: number) => string = size) {
    this.#terminal = terminal;
    this.#format = format;
    this.#label = oneLine(label);
    this.isDrawn = terminal.stderr.isTTY === true && terminal.env.TERM !== 'dumb';
    if (this.isDrawn) this.#timer = setInterval(() => this.#draw(), redraw_ms).unref();
  }

  /** Sets the amount done; a total of 0 is unknown. */
  at(done: number, total: number): void {
    this.#amount = done > 0 || total > 0 ? { done: total > 0 ? Math.min(done, total) : done, total } : undefined;
  }

  /** Sets the current step, which replaces the label, and its amount. */
  step({ doing, done, total }: Step): void {
    this.#label = oneLine(doing);
    this.at(done, total);
  }

  /** Returns the call options that report progress here; empty if nothing can be shown, so that no progress is requested. */
  get listening(): Pick<CallOptions, 'sent' | 'progress'> {
    return this.isDrawn ? { sent: (done, total) => this.at(done, total), progress: (step) => this.step(step) } : {};
  }

  /** Clears the line for other output; the next drawing comes below it. */
  clear(): void {
    if (this.#drawn) this.#terminal.stderr.write(clear_line);
    this.#drawn = false;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.clear();
  }

  #draw(): void {
    const elapsed_ms = performance.now() - this.#begun_ms;
    if (elapsed_ms < show_after_ms) return;
    const { stderr } = this.#terminal;
    const line = `${this.#label}  ${this.#amount ? amount(this.#amount, this.#format) : duration(elapsed_ms / 1_000)}`;
    // A line that reaches the edge would make the terminal start another.
    stderr.write(clear_line + cut(line, Math.max(1, (stderr.columns || 80) - 1)));
    this.#drawn = true;
  }
}

function oneLine(text: string): string {
  return harmless(text.replaceAll(/\s+/g, ' '));
}

function amount(amount: Amount, format: (amount: number) => string): string {
  return amount.total > 0 ? bar(amount, format) : format(amount.done);
}

function bar({ done, total }: Amount, format: (amount: number) => string): string {
  const share = done / total;
  const filled = '='.repeat(Math.round(share * bar_columns));
  const percent = `${Math.floor(share * 100)} %`;
  return `[${filled.padEnd(bar_columns)}] ${' '.repeat(5 - width(percent))}${percent}  ${format(done)} of ${format(total)}`;
}

/** Shows progress until the work ends. */
export async function withProgress<T>(progress: Progress, work: (progress: Progress) => Promise<T>): Promise<T> {
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}
