import { type Failure, failures } from '../../kernel/contract/failure.js';

const max_faults = 20;

const fail = failures({ import_invalid: 400 });

/** Collects what is wrong with an export, so that a person sees all of it at once. */
export class Faults {
  readonly #file: string;
  readonly #found: { path: string; message: string }[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** Adds a fault; too many end the reading. Returns undefined, for callers that go on without what has it. `path`: the place in the export. */
  add(path: string, message: string): undefined {
    this.#found.push({ path, message });
    if (this.#found.length === max_faults) this.assertNone();
  }

  /** Fails with `import_invalid` if there are any. */
  assertNone(): void {
    const [first] = this.#found;
    if (!first) return;
    const more = this.#found.length === 1 ? '' : `, and ${this.#found.length - 1} more`;
    throw invalidExport(`${this.#file} can't be imported: ${first.path}: ${first.message}${more}. Nothing was changed`, this.#found);
  }
}

/** Returns the failure for an export that is not what it should be. */
export function invalidExport(message: string, details: readonly { path: string; message: string }[] = []): Failure {
  return fail('import_invalid', message, { details: [...details] });
}
