import type { Clock } from '../../kernel/contract/index.js';
import type { History } from './store/history.js';

const kept_ms = 30 * 86_400_000;
/** Of one schedule. */
const kept_runs = 1_000;
/** So many rows a statement, so that others have their turn. */
const batch = 1_000;
/** So many statements a turn: the rest waits for the next. */
const most_batches = 1_000;

/** Keeps the history from growing without end: 30 days, and 1,000 runs a schedule. */
export class Housekeeping {
  readonly #parts: { history: History; clock: Clock };

  constructor(parts: { history: History; clock: Clock }) {
    this.#parts = parts;
  }

  /** Gives how many rows were removed. */
  async clean(): Promise<number> {
    const { history, clock } = this.#parts;
    const old = await repeated(() => history.deleteBefore(clock.now() - kept_ms, batch));
    return old + (await repeated(() => history.deleteBeyond(kept_runs, batch)));
  }
}

async function repeated(remove: () => Promise<number>): Promise<number> {
  let removed = 0;
  for (let turn = 0, last = batch; turn < most_batches && last > 0; turn += 1) {
    last = await remove();
    removed += last;
  }
  return removed;
}
