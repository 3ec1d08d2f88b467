interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (fault: unknown) => void;
}

/**
 * Processes a batch. `take` returns the waiting items; the work calls it as late as possible, such as inside its transaction, so that the
 * batch is larger. Repeated calls return the same items. Returns a result for each item, in order.
 */
type Work<Item, Result> = (take: () => readonly Item[]) => Promise<readonly Result[]>;

/**
 * Batches single requests: items that arrive while the previous batch runs, or until the work takes its items, are processed together. So
 * hundreds of concurrent requests take a few statements, and a single one doesn't wait. The work runs in the context in which this object
 * was created, not in the transactions of the callers.
 */
export class Together<Item, Result> {
  readonly #work: Work<Item, Result>;
  readonly #max: number;
  readonly #waiting: Waiting<Item, Result>[] = [];
  #wake: () => void = () => undefined;

  /**
   * @param work processes one batch; never runs twice at once
   * @param max limit of items in a batch
   */
  constructor(work: Work<Item, Result>, { max }: { max: number }) {
    this.#work = work;
    this.#max = max;
    void this.#all();
  }

  /**
   * Processes an item in the next batch. If a batch fails, each of its items is tried alone, and fails as the work does for it. If the work
   * fails before it took its items, the waiting ones fail without another try.
   */
  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#wake();
    });
  }

  /** Runs batches for ever. It awaits instead of being called by {@link do}, so that it stays in its own async context. */
  async #all(): Promise<never> {
    for (;;) {
      while (this.#waiting.length > 0) await this.#some((max) => this.#waiting.splice(0, max), Math.min(this.#waiting.length, this.#max));
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Runs one batch. `next` takes the waiting items; `count`: how many fail if the work fails before it took any. */
  async #some(next: (max: number) => Waiting<Item, Result>[], count: number): Promise<void> {
    let taken: Waiting<Item, Result>[] | undefined;
    const take = () => {
      taken ??= next(this.#max);
      return taken.map(({ item }) => item);
    };
    try {
      const results = await this.#work(take);
      if (!taken) throw new Error('The work ended without taking what it was to be done for');
      for (const [at, { resolve }] of taken.entries()) resolve(results[at] as Result);
    } catch (fault) {
      if (taken && taken.length > 1) for (const one of taken) await this.#some(() => [one], 1);
      else for (const { reject } of taken ?? next(count)) reject(fault);
    }
  }
}
