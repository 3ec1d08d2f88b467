import type { Paintable } from './live-reply.js';

/** Draws what asks for it once per animation frame, so that hundreds of events a second cost one drawing. */
export class Painter {
  readonly #waiting = new Set<Paintable>();
  #frame: number | undefined;

  readonly request = (paintable: Paintable): void => {
    this.#waiting.add(paintable);
    this.#frame ??= requestAnimationFrame(this.#paint);
  };

  dispose(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#waiting.clear();
  }

  readonly #paint = (): void => {
    this.#frame = undefined;
    const now = [...this.#waiting];
    this.#waiting.clear();
    for (const paintable of now) if (paintable.paint()) this.request(paintable);
  };
}

let lessMotion: MediaQueryList | undefined;

/** Returns whether the person wants less motion. Asked for each piece of a reply. */
export function isStill(): boolean {
  lessMotion ??= matchMedia('(prefers-reduced-motion: reduce)');
  return lessMotion.matches;
}
