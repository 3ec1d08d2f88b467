/**
 * Does in the next turn of the loop what was asked for in this one, all of it at once. With hundreds of
 * replies at a time an immediate for each piece of text would cost more than what is done in it.
 */
export class NextTurn {
  #work: (() => void)[] = [];

  /** `work` must not throw. */
  add(work: () => void): void {
    if (this.#work.length === 0) setImmediate(this.#run);
    this.#work.push(work);
  }

  readonly #run = (): void => {
    const work = this.#work;
    this.#work = [];
    for (const each of work) each();
  };
}
