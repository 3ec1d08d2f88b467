import { StringDecoder } from 'node:string_decoder';
import type { Frame } from './frames.js';

/** Makes text of what a command writes, in pieces that don't part characters. What is no UTF-8 becomes U+FFFD. */
export class TextPieces {
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  readonly #take: (stream: Frame['stream'], delta: string) => void;

  constructor(take: (stream: Frame['stream'], delta: string) => void) {
    this.#take = take;
  }

  add({ stream, bytes }: Frame): void {
    const delta = this.#decoders[stream].write(bytes);
    if (delta !== '') this.#take(stream, delta);
  }

  /** Gives what is left of characters that never came to their end. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const delta = this.#decoders[stream].end();
      if (delta !== '') this.#take(stream, delta);
    }
  }
}
