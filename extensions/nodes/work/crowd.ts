import { fail } from '../codes.js';

export interface CrowdLimits {
  /** At once in one node. */
  most: number;
  /** So many more wait for their turn. */
  waiting: number;
  /** As long as this, in ms. */
  wait_ms: number;
}

interface Entry {
  running: number;
  waiting: Set<() => void>;
}

/** Lets so many into a node at once; the others wait in the order in which they came. */
export class Crowd {
  readonly #limits: CrowdLimits;
  readonly #entries = new Map<number, Entry>();

  constructor(limits: CrowdLimits) {
    this.#limits = limits;
  }

  /** Fails with `node_busy` where too many wait or it takes too long, and as the signal says. */
  async through<T>(id: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const entry = this.#entries.get(id) ?? { running: 0, waiting: new Set() };
    this.#entries.set(id, entry);
    if (entry.running < this.#limits.most) entry.running += 1;
    else await this.#turn(entry, signal);
    try {
      return await work();
    } finally {
      this.#leave(id, entry);
    }
  }

  /** Whoever leaves hands its place on. */
  #leave(id: number, entry: Entry): void {
    const [next] = entry.waiting;
    if (next) {
      entry.waiting.delete(next);
      next();
    } else {
      entry.running -= 1;
      if (entry.running === 0) this.#entries.delete(id);
    }
  }

  #turn({ waiting }: Entry, signal: AbortSignal): Promise<void> {
    const { most, waiting: room, wait_ms } = this.#limits;
    if (waiting.size >= room) throw busy(`${most} commands run on the node and ${waiting.size} wait`);
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        waiting.delete(enter);
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
        end();
      };
      const enter = () => settle(resolve);
      const aborted = () => settle(() => reject(signal.reason));
      const late = () => settle(() => reject(busy(`${most} commands run on the node, and none ended within ${wait_ms / 1000} s`)));
      const timer = setTimeout(late, wait_ms);
      signal.addEventListener('abort', aborted, { once: true });
      waiting.add(enter);
    });
  }
}

function busy(message: string) {
  return fail('node_busy', `${message}; try again later`, { retry_after: 5 });
}
