/** Lets work under one id wait for what was begun under it before; under other ids it goes on side by side. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(id: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(id) ?? Promise.resolve()).then(work);
    const ended: Promise<void> = turn.then(
      () => this.#leave(id, ended),
      () => this.#leave(id, ended),
    );
    this.#last.set(id, ended);
    return turn;
  }

  #leave(id: string, ended: Promise<unknown>): void {
    if (this.#last.get(id) === ended) this.#last.delete(id);
  }
}
