import { setTimeout as sleep } from 'node:timers/promises';
import type { Lane } from './lanes/lane.js';

const pause_ms = 60;

/** Lanes that all write at once, one thing after the other, unless they are held. */
export class Traffic {
  readonly lanes: readonly Lane[];
  readonly #complain: (sentence: string) => void;
  #isHeld = true;
  #running: Promise<void>[] = [];

  constructor(lanes: readonly Lane[], complain: (sentence: string) => void) {
    this.lanes = lanes;
    this.#complain = complain;
  }

  go(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#running = this.lanes.map((lane) => this.#run(lane));
  }

  /** Waits until what was begun is acknowledged. */
  async hold(): Promise<void> {
    this.#isHeld = true;
    await Promise.all(this.#running);
  }

  /** How many things were acknowledged so far, by lane. */
  counts(): Record<string, number> {
    return Object.fromEntries(this.lanes.map(({ name, acknowledged }) => [name, acknowledged]));
  }

  async #run(lane: Lane): Promise<void> {
    while (!this.#isHeld) {
      await lane.write().catch((fault: Error) => this.#complain(`${lane.name}: ${fault.message}`));
      await sleep(pause_ms);
    }
  }
}
