import type { CatalogEntry } from '../../contract/extension.js';
import type { Installed } from './installed.js';
import type { Running } from './running.js';
import { entryOf } from './snapshot.js';

type Snapshot = ReadonlyMap<string, Running>;

export interface EntriesOptions {
  installed: ReadonlyMap<string, Installed>;
  /** Returns the published extensions. */
  published: () => Snapshot;
}

/** Operations as extensions see them. Cached per publication, because each run of a schedule or an AI employee reads them. */
export class Entries {
  readonly #options: EntriesOptions;
  readonly #ofEach = new WeakMap<Running, readonly CatalogEntry[]>();
  readonly #ofAll = new WeakMap<Snapshot, readonly CatalogEntry[]>();

  constructor(options: EntriesOptions) {
    this.#options = options;
  }

  of(all: Snapshot): readonly CatalogEntry[] {
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
    // An unpublished extension may still add operations.
    if (published().get(running.extension) === running) this.#ofEach.set(running, entries);
    return entries;
  }
}
