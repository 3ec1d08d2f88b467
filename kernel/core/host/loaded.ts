import type { Catalog } from '../catalog/catalog.js';
import type { Cell } from '../catalog/cell.js';
import type { Draft } from '../catalog/draft.js';
import { Entries } from './entries.js';
import type { Installed } from './installed.js';
import type { Running } from './running.js';
import { catalogOf } from './snapshot.js';

/** The other extensions as an activation sees them: the snapshot, or during a change the future one. */
export interface Neighbours {
  find(id: string): Running | undefined;
  all(): Iterable<Running>;
  operations(): ReturnType<Entries['of']>;
}

/**
 * The installed and the running extensions, at this moment. It is there before anything is loaded, so that whatever asks it can be made first;
 * only the host changes it.
 */
export class Loaded {
  readonly installed = new Map<string, Installed>();
  #running: ReadonlyMap<string, Running> = new Map();
  readonly #entries = new Entries({ installed: this.installed, published: () => this.#running });
  #generation = 0;
  /** Made where somebody asks for it. */
  #catalog: Catalog<Cell> | undefined;

  /** All that runs now. */
  get running(): ReadonlyMap<string, Running> {
    return this.#running;
  }

  get catalog(): Catalog<Cell> {
    this.#catalog ??= catalogOf(this.#generation, this.installed, this.#running);
    return this.#catalog;
  }

  /** Contributions of the running extensions. */
  get drafts(): Draft[] {
    return [...this.#running.values()].map(({ draft }) => draft);
  }

  /** All that running extensions have put into a slot. */
  slot<Value>(name: string): Value[] {
    return this.drafts.flatMap(({ slots }) => (slots.get(name) ?? []) as Value[]);
  }

  /** Puts what runs from now on in the place of what ran. */
  publish(running: ReadonlyMap<string, Running>): void {
    this.#running = running;
    this.#generation += 1;
    this.#catalog = undefined;
  }

  neighbours(current: () => ReadonlyMap<string, Running> = () => this.#running): Neighbours {
    return {
      find: (id) => current().get(id),
      all: () => current().values(),
      operations: () => this.#entries.of(current()),
    };
  }
}
