import type { CatalogEntry } from '../../contract/extension.js';
import type { Installed } from './installed.js';
import type { Running } from './running.js';
import { entryOf } from './snapshot.js';

type All = ReadonlyMap<string, Running>;

export interface EntriesOptions {
  installed: ReadonlyMap<string, Installed>;
  /** All that runs now. */
  published: () => All;
}

/** Operations as extensions see them. Made once for each publication, because each run of a schedule or an AI employee asks for them. */
export class Entries {
  readonly #options: EntriesOptions;
  readonly #ofEach = new WeakMap<Running, readonly CatalogEntry[]>();
  readonly #ofAll = new WeakMap<All, readonly CatalogEntry[]>();

  constructor(options: EntriesOptions) {
    this.#options = options;
  }

  of(all: All): readonly CatalogEntry[] {
    const known = this.#ofAll.get(all);
    if (known) return known;
    const entries = [...all.values()].flatMap((running) => this.#of(running));
    if (all === this.#options.published()) this.#ofAll.set(all, entries);
    return entries;
  }

  #of(running: Running): readonly CatalogEntry[] {
    const known = this.#ofEach.get(running);
    if (known) return known;
    const { installed, published } = this.#options;
    const builtin = installed.get(running.extension)?.builtin ?? false;
    const entries = [...running.draft.operations.values()].map((active) => entryOf(active, builtin));
    // Until it is published it may still add to them.
    if (published().get(running.extension) === running) this.#ofEach.set(running, entries);
    return entries;
  }
}
