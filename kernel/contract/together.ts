interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (fault: unknown) => void;
}

/**
 * Does for many at once what is asked for one by one: what comes in one turn of the loop, or while others are done, is next,
 * together. So what hundreds want at one moment takes a few statements, and what one wants alone waits for nothing. The work
 * begins where this was made, and not in its askers' transactions.
 */
export class Together<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #most: number;
  readonly #waiting: Waiting<Item, Result>[] = [];
  #wake: () => void = () => undefined;

  /**
   * @param work - gives a result for each item, in their order; of two calls the second begins after the first has ended
   * @param most - how many items it is given at once
   */
  constructor(work: (items: readonly Item[]) => Promise<readonly Result[]>, { most }: { most: number }) {
    this.#work = work;
    this.#most = most;
    void this.#all();
  }

  /** Fails as the work does for this item alone: what fails for several is tried for each. */
  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#wake();
    });
  }

  /** For good: what follows a wait is where the wait began, whoever ends it. */
  async #all(): Promise<never> {
    for (;;) {
      while (this.#waiting.length > 0) await this.#some(this.#waiting.splice(0, this.#most));
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #some(some: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#work(some.map(({ item }) => item));
      for (const [at, { resolve }] of some.entries()) resolve(results[at] as Result);
    } catch (fault) {
      if (some.length === 1) some[0]?.reject(fault);
      else for (const one of some) await this.#some([one]);
    }
  }
}
