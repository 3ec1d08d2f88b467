import type { Counter } from '../../contract/extension.js';

/** Limit of distinct label values; further values are counted as `other`. */
const max_values = 50;

/** Counter for `/metrics` with a series for each value of one label. */
export class LabelledCounter implements Counter {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  readonly #counts = new Map<string, number>();

  constructor(name: string, help: string, label: string) {
    this.name = name;
    this.help = help;
    this.label = label;
  }

  add(value: string, count = 1): void {
    const known = this.#counts.has(value) || this.#counts.size < max_values ? value : 'other';
    this.#counts.set(known, (this.#counts.get(known) ?? 0) + count);
  }

  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }
}
