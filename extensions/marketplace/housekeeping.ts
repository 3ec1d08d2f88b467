import type { Clock, Database } from '../../kernel/contract/index.js';
import type { ExtensionStore } from './store/extensions.js';
import type { VersionStore } from './store/versions.js';

interface Parts {
  db: Database;
  clock: Clock;
  extensions: ExtensionStore;
  versions: VersionStore;
}

/** So long a publisher can look up why a version was rejected. */
const kept_ms = 90 * 86_400_000;
/** So many are looked for at a time. */
const portion = 100;

/** Keeps what was rejected from growing without end: it goes after 90 days, and an id with it that has nothing else. */
export class Housekeeping {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Gives how many versions were removed. */
  async clean(): Promise<number> {
    const { clock, versions } = this.#parts;
    const before = new Date(clock.now() - kept_ms).toISOString();
    let removed = 0;
    for (let found = await versions.rejectedBefore(before, portion); found.length > 0; ) {
      for (const { id, number } of found) await this.#remove(id, number);
      removed += found.length;
      found = await versions.rejectedBefore(before, portion);
    }
    return removed;
  }

  #remove(id: string, number: number): Promise<void> {
    const { db, extensions, versions } = this.#parts;
    return db.transaction(async () => {
      await extensions.lock(id);
      await versions.delete(number);
      if (await versions.isEmpty(id)) await extensions.delete(id);
    });
  }
}
