/** Something that an import did differently or left out, and how often. */
export interface Remark {
  text: string;
  count: number;
  examples: readonly string[];
}

const max_examples = 5;
const max_example_length = 100;

/** Collects what an import does differently or leaves out. Each kind is one sentence. */
export class Remarks {
  readonly #found = new Map<string, { count: number; examples: string[] }>();

  /** Returns undefined, for callers that leave something out. */
  add(text: string, example?: string): undefined {
    const found = this.#found.get(text) ?? { count: 0, examples: [] };
    this.#found.set(text, found);
    found.count += 1;
    if (example === undefined || found.examples.length === max_examples) return;
    const short = example.slice(0, max_example_length).toWellFormed();
    if (!found.examples.includes(short)) found.examples.push(short);
  }

  list(): Remark[] {
    return [...this.#found].map(([text, found]) => ({ text, ...found }));
  }
}
