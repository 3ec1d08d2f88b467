import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../kernel/contract/index.js';
import type { Models } from '../models.js';
import type { SearchIndex } from '../store/search-sql.js';

interface SearchRemovalsParts {
  db: Database;
  models: Pick<Models, 'search_removals'>;
  index: Pick<SearchIndex, 'removeQueued'>;
  signal: AbortSignal;
}

/** Messages removed per transaction: SQLite takes up to some ms for each. */
const batch = 25;

/** Removes the messages of deleted sessions from the search index, in small batches. Together they could block writers for long. */
export class SearchRemovals {
  readonly #parts: SearchRemovalsParts;

  constructor(parts: SearchRemovalsParts) {
    this.#parts = parts;
  }

  /** Runs until none is left or the extension stops. Pauses half of the time. */
  async work(): Promise<void> {
    const { db, models, index, signal } = this.#parts;
    // Reads first, so that an idle platform writes nothing.
    for (let removed = 1; removed > 0 && !signal.aborted && (await models.search_removals.findOne({ raw: true })); ) {
      const begun = performance.now();
      removed = await db.transaction(() => index.removeQueued(batch));
      await sleep(performance.now() - begun, undefined, { ref: false });
    }
  }
}
