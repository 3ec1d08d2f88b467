/** So much is done before what follows from it, as far as its reader's socket: text doesn't wait for that of hundreds of others. */
const portion = 32;

type Work = () => void;

/**
 * Does in the next turn of the loop what was asked for in this one, in portions. With hundreds of replies at a time an
 * immediate for each piece of text would cost more than what is done in it.
 */
export class NextTurn {
  /** The portion that still takes more. */
  #open: Work[] = [];

  /** `work` must not throw. */
  add(work: Work): void {
    if (this.#open.length === 0 || this.#open.length >= portion) {
      this.#open = [];
      setImmediate(this.#run, this.#open);
    }
    this.#open.push(work);
  }

  readonly #run = (works: readonly Work[]): void => {
    if (works === this.#open) this.#open = [];
    for (const work of works) work();
  };
}
