import type { Frame } from './frames.js';
import { TextPieces } from './text-pieces.js';

/** What a command writes to both of its outputs as one text, in the order in which it came. PostgreSQL takes no NUL. */
export class MergedText {
  readonly #parts: string[] = [];
  readonly #pieces: TextPieces;

  constructor(told: (delta: string) => void) {
    this.#pieces = new TextPieces((_stream, delta) => {
      const text = delta.replaceAll('\0', '\ufffd');
      this.#parts.push(text);
      told(text);
    });
  }

  add(frame: Frame): void {
    this.#pieces.add(frame);
  }

  /** The whole. */
  end(): string {
    this.#pieces.end();
    return this.#parts.join('');
  }
}
