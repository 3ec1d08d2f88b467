/** Requester of a turn. */
export interface Requester {
  /** Flow, such as a network; turns are shared fairly between flows. */
  flow: string;
  /** Weight of one turn, from 1. A flow with costlier turns gets fewer of them. */
  cost: number;
  /** Never loses its place to an untrusted requester. */
  trusted: boolean;
}

export interface FairQueueOptions {
  max_running: number;
  /** Limit of waiting requests in total. */
  max_waiting: number;
  /** Limit of waiting requests of one flow. */
  max_of_flow: number;
  max_wait_ms: number;
  /** Creates the failure for a request without a turn. */
  rejection: () => Error;
}

interface WaitingRequest extends Requester {
  /** Virtual time at which its turn ends; the lowest is next. */
  finish: number;
  start: () => void;
  reject: () => void;
}

/**
 * Runs work for many requesters, a few at a time: self-clocked fair queueing (Golestani, 1994), because p-queue orders
 * by priority only. However much one flow requests, another flow's next turn comes after at most one turn of each
 * waiting flow. If too many wait, the one whose turn is furthest away is rejected.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  #running = 0;
  #waiting: WaitingRequest[] = [];
  /** Virtual time: the finish of the turn that started last. */
  #now = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  async run<T>(requester: Requester, work: () => Promise<T>): Promise<T> {
    await this.#waitForTurn(requester);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  #waitForTurn(asker: Requester): Promise<void> {
    const { max_wait_ms, rejection: full } = this.#options;
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
      const waiting: WaitingRequest = { ...asker, finish: this.#earliestStart(asker.flow) + asker.cost, start: begin, reject: refuse };
      this.#waiting.push(waiting);
      this.#next();
      this.#enforceLimits(waiting);
    });
  }

  #next(): void {
    if (this.#running >= this.#options.max_running) return;
    const next = this.#waiting.reduce<WaitingRequest | undefined>(
      (first, each) => (first && first.finish <= each.finish ? first : each),
      undefined,
    );
    if (!next) return;
    this.#waiting = this.#waiting.filter((each) => each !== next);
    this.#now = next.finish;
    this.#running += 1;
    next.start();
  }

  /** Rejects a request if too many wait after `latest` arrived. */
  #enforceLimits(latest: WaitingRequest): void {
    const { max_waiting, max_of_flow } = this.#options;
    if (!this.#waiting.includes(latest)) return;
    if (this.#waiting.filter(({ flow }) => flow === latest.flow).length > max_of_flow) this.#remove(latest);
    else if (this.#waiting.length > max_waiting) this.#remove(this.#lastOfLongestFlow());
  }

  #lastOfLongestFlow(): WaitingRequest {
    const untrusted = this.#waiting.filter(({ trusted }) => !trusted);
    return (untrusted.length > 0 ? untrusted : this.#waiting).reduce((last, each) => (each.finish >= last.finish ? each : last));
  }

  #remove(waiting: WaitingRequest): void {
    if (!this.#waiting.includes(waiting)) return;
    this.#waiting = this.#waiting.filter((each) => each !== waiting);
    waiting.reject();
  }

  /** Returns the virtual time at which a flow's next turn can start. */
  #earliestStart(flow: string): number {
    return this.#waiting.reduce((last, each) => (each.flow === flow ? Math.max(last, each.finish) : last), this.#now);
  }
}
