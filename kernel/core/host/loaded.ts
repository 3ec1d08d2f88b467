import type { Catalog } from '../catalog/catalog.js';
import type { Cell } from '../catalog/cell.js';
import type { Draft } from '../catalog/draft.js';
import { Entries } from './entries.js';
import type { Installed } from './installed.js';
import type { Running } from './running.js';
import { catalogOf } from './snapshot.js';

/** Extensions as an activation sees them: the published snapshot, or during a change the future one. */
export interface Neighbours {
  find(id: string): Running | undefined;
  all(): Iterable<Running>;
  operations(): ReturnType<Entries['of']>;
}

/** Current installed and running extensions. Created before the host, so that services can refer to it; only the host changes it. */
export class Loaded {
  readonly installed = new Map<string, Installed>();
  #running: ReadonlyMap<string, Running> = new Map();
  readonly #entries = new Entries({ installed: this.installed, published: () => this.#running });
  #generation = 0;
  /** Built on demand. */
  #catalog: Catalog<Cell> | undefined;

  /** All running extensions. */
  get running(): ReadonlyMap<string, Running> {
    return this.#running;
  }

  get catalog(): Catalog<Cell> {
    this.#catalog ??= catalogOf(this.#generation, this.installed, this.#running);
    return this.#catalog;
  }

  /** Contributions of all running extensions. */
  get drafts(): Draft[] {
    return [...this.#running.values()].map(({ draft }) => draft);
  }

  /** Returns all contributions of running extensions to a slot. */
  slot<Value>(name: string): Value[] {
    return this.drafts.flatMap(({ slots }) => (slots.get(name) ?? []) as Value[]);
  }

  /** Replaces the set of running extensions. */
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
