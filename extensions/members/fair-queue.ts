/** A caller that asks for a turn. */
export interface Asker {
  /** Turns are shared fairly between flows, such as networks. */
  flow: string;
  /** Weight of one turn, from 1. A flow whose turns cost more gets fewer of them. */
  cost: number;
  /** Never loses its place to one that isn't trusted. */
  trusted: boolean;
}

export interface FairQueueOptions {
  at_once: number;
  /** Waiting at most, in all. */
  max_waiting: number;
  /** Waiting at most, of one flow. */
  max_of_flow: number;
  max_wait_ms: number;
  /** Makes the failure of one who gets no turn. */
  full: () => Error;
}

interface Waiting extends Asker {
  /** When its turn ends in virtual time; the lowest is next. */
  finish: number;
  begin: () => void;
  refuse: () => void;
}

/**
 * Runs work for many askers, a few at a time: self-clocked fair queueing (Golestani, 1994), because p-queue orders by priority alone.
 * However much one flow asks for, another's next turn comes after at most one turn of each flow that waits. If too many wait, the one whose
 * turn is furthest away is refused.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  #running = 0;
  #waiting: Waiting[] = [];
  /** Virtual time: the finish of the turn that began last. */
  #now = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  async run<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
    await this.#turn(asker);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  #turn(asker: Asker): Promise<void> {
    const { max_wait_ms, full } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#remove(waiting), max_wait_ms);
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const refuse = () => {
        clearTimeout(timer);
        reject(full());
      };
      const waiting: Waiting = { ...asker, finish: this.#last(asker.flow) + asker.cost, begin, refuse };
      this.#waiting.push(waiting);
      this.#next();
      this.#bound(waiting);
    });
  }

  #next(): void {
    if (this.#running >= this.#options.at_once) return;
    const next = this.#waiting.reduce<Waiting | undefined>(
      (first, each) => (first && first.finish <= each.finish ? first : each),
      undefined,
    );
    if (!next) return;
    this.#waiting = this.#waiting.filter((each) => each !== next);
    this.#now = next.finish;
    this.#running += 1;
    next.begin();
  }

  /** Refuses one where too many wait now that `latest` came. */
  #bound(latest: Waiting): void {
    const { max_waiting, max_of_flow } = this.#options;
    if (!this.#waiting.includes(latest)) return;
    if (this.#waiting.filter(({ flow }) => flow === latest.flow).length > max_of_flow) this.#remove(latest);
    else if (this.#waiting.length > max_waiting) this.#remove(this.#furthest());
  }

  #furthest(): Waiting {
    const strangers = this.#waiting.filter(({ trusted }) => !trusted);
    return (strangers.length > 0 ? strangers : this.#waiting).reduce((last, each) => (each.finish >= last.finish ? each : last));
  }

  #remove(waiting: Waiting): void {
    if (!this.#waiting.includes(waiting)) return;
    this.#waiting = this.#waiting.filter((each) => each !== waiting);
    waiting.refuse();
  }

  /** Virtual time at which a flow's next turn can begin. */
  #last(flow: string): number {
    return this.#waiting.reduce((last, each) => (each.flow === flow ? Math.max(last, each.finish) : last), this.#now);
  }
}
