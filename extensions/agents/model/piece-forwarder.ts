import type { Piece, Take } from './prompt.js';

/** Forwards the pieces of an answer. Errors of the receiver are stored separately, because no model is to blame for them. */
export class PieceForwarder {
  readonly #take: Take;
  #isBegun = false;
  #failure: { fault: unknown } | undefined;

  constructor(take: Take) {
    this.#take = take;
  }

  /** Whether part of an answer was forwarded. */
  get begun(): boolean {
    return this.#isBegun;
  }

  /** Forwards pieces in order; returns a promise only if the receiver must be awaited. Stops after a failure. */
  forward(pieces: Iterator<Piece, void>): void | Promise<void> {
    for (let next = pieces.next(); !next.done && !this.#failure; next = pieces.next()) {
      const waits = this.#forwardOne(next.value);
      if (waits) return this.#resume(waits, pieces);
    }
  }

  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.fault;
  }

  #forwardOne(piece: Piece): void | Promise<void> {
    this.#isBegun ||= piece.type !== 'usage';
    try {
      return this.#take(piece);
    } catch (fault) {
      throw this.#fail(fault);
    }
  }

  async #resume(waits: Promise<void>, pieces: Iterator<Piece, void>): Promise<void> {
    try {
      await waits;
    } catch (fault) {
      throw this.#fail(fault);
    }
    await this.forward(pieces);
  }

  #fail(fault: unknown): unknown {
    this.#failure ??= { fault };
    return fault;
  }
}
