import { size } from '../kernel/client/size.js';
import type { CallOptions } from '../kernel/client/transport.js';
import type { Step } from '../kernel/contract/operation.js';
import { cut, width } from './table.js';
import { harmless, type Terminal } from './terminal.js';
import { duration } from './units.js';

/** What is over at once shows nothing. */
const patience_ms = 400;
const every_ms = 100;
const bar_columns = 24;
const clear_line = '\r\u001B[K';

interface Amount {
  done: number;
  /** 0 where nobody knows. */
  total: number;
}

/**
 * One line on standard error that tells how far some work is: a bar where its amount is known, else the time that it
 * has taken. It is there only on a terminal, after a moment, and gone at the end.
 */
export class Progress {
  /** Whether standard error can show it. */
  readonly isDrawn: boolean;
  readonly #terminal: Terminal;
  #label: string;
  readonly #shown: (amount: number) => string;
  readonly #begun_ms = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #amount: Amount | undefined;
  #drawn = false;

  /** `shown` writes an amount; default: as bytes. */
  constructor(terminal: Terminal, label: string, shown: (amount: number) => string = size) {
    this.#terminal = terminal;
    this.#shown = shown;
    this.#label = oneLine(label);
    this.isDrawn = terminal.stderr.isTTY === true && terminal.env.TERM !== 'dumb';
    if (this.isDrawn) this.#timer = setInterval(() => this.#draw(), every_ms).unref();
  }

  /** How much is done; a total of 0 is one that nobody knows. */
  at(done: number, total: number): void {
    this.#amount = done > 0 || total > 0 ? { done: total > 0 ? Math.min(done, total) : done, total } : undefined;
  }

  /** What is done now, in place of the label, and how much of it. */
  step({ doing, done, total }: Step): void {
    this.#label = oneLine(doing);
    this.at(done, total);
  }

  /** What a call is given, so that it is shown how far it is. Where nothing can be shown, nothing is asked for. */
  get listening(): Pick<CallOptions, 'sent' | 'progress'> {
    return this.isDrawn ? { sent: (done, total) => this.at(done, total), progress: (step) => this.step(step) } : {};
  }

  /** Makes room for a line of other output; the next drawing comes below it. */
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
    if (elapsed_ms < patience_ms) return;
    const { stderr } = this.#terminal;
    const line = `${this.#label}  ${this.#amount ? amount(this.#amount, this.#shown) : duration(elapsed_ms / 1_000)}`;
    // A line that reaches the edge would make the terminal begin another.
    stderr.write(clear_line + cut(line, Math.max(1, (stderr.columns || 80) - 1)));
    this.#drawn = true;
  }
}

function oneLine(text: string): string {
  return harmless(text.replaceAll(/\s+/g, ' '));
}

function amount(amount: Amount, shown: (amount: number) => string): string {
  return amount.total > 0 ? bar(amount, shown) : shown(amount.done);
}

function bar({ done, total }: Amount, shown: (amount: number) => string): string {
  const share = done / total;
  const filled = '='.repeat(Math.round(share * bar_columns));
  const percent = `${Math.floor(share * 100)} %`;
  return `[${filled.padEnd(bar_columns)}] ${' '.repeat(5 - width(percent))}${percent}  ${shown(done)} of ${shown(total)}`;
}

/** Shows a line for as long as the work takes. */
export async function showing<T>(progress: Progress, work: (progress: Progress) => Promise<T>): Promise<T> {
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}
