interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (fault: unknown) => void;
}

/**
 * Takes what waits, once it has its turn (in its transaction, say): always the same however often it asks. Gives a result for each item,
 * in their order.
 */
type Work<Item, Result> = (take: () => readonly Item[]) => Promise<readonly Result[]>;

/**
 * Does for many at once what is asked for one by one: what comes while others are done, or until the work has its turn, is done
 * together. So what hundreds want at one moment takes a few statements, and what one wants alone waits for nothing. The work
 * begins where this was made, and not in its askers' transactions.
 */
export class Together<Item, Result> {
  readonly #work: Work<Item, Result>;
  readonly #max: number;
  readonly #waiting: Waiting<Item, Result>[] = [];
  #wake: () => void = () => undefined;

  /**
   * @param work - of two calls the second begins after the first has ended
   * @param max - how many items it gets at once
   */
  constructor(work: Work<Item, Result>, { max }: { max: number }) {
    this.#work = work;
    this.#max = max;
    void this.#all();
  }

  /** Fails as the work does for this item alone: what fails for several is tried for each, unless it was before its turn. */
  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#wake();
    });
  }

  /** For good: what follows a wait is where the wait began, whoever ends it. */
  async #all(): Promise<never> {
    for (;;) {
      while (this.#waiting.length > 0) await this.#some((max) => this.#waiting.splice(0, max), Math.min(this.#waiting.length, this.#max));
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** `next` gives those that wait by now; `count` of them wait already. */
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
