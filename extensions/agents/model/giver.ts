import type { Piece, Take } from './prompt.js';

/** Gives out the pieces of an answer. What goes wrong with whoever takes them is kept apart: no model is to blame for it. */
export class Giver {
  readonly #take: Take;
  #begun = false;
  #refused: { fault: unknown } | undefined;

  constructor(take: Take) {
    this.#take = take;
  }

  /** Whether something of an answer was given. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Gives one after the other; a promise only where one of them must be waited for. After a failure there are no more. */
  give(pieces: Iterator<Piece, void>): void | Promise<void> {
    for (let next = pieces.next(); !next.done && !this.#refused; next = pieces.next()) {
      const waits = this.#giveOne(next.value);
      if (waits) return this.#resume(waits, pieces);
    }
  }

  throwIfRefused(): void {
    if (this.#refused) throw this.#refused.fault;
  }

  #giveOne(piece: Piece): void | Promise<void> {
    this.#begun ||= piece.type !== 'usage';
    try {
      return this.#take(piece);
    } catch (fault) {
      throw this.#refuse(fault);
    }
  }

  async #resume(waits: Promise<void>, pieces: Iterator<Piece, void>): Promise<void> {
    try {
      await waits;
    } catch (fault) {
      throw this.#refuse(fault);
    }
    await this.give(pieces);
  }

  #refuse(fault: unknown): unknown {
    this.#refused ??= { fault };
    return fault;
  }
}
