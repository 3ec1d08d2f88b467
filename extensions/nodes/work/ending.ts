import { fail } from '../codes.js';
import type { Ended } from './command.js';
import { type Killer, killBy, type Victim } from './killing.js';
import type { Place } from './place.js';

/** How long a killed command's stream may take to end, and one that was begun to say so, in ms. */
const grace_ms = 400;

export interface EndingParts {
  place: Place;
  /** Of whom the first that can ends it. */
  killers: readonly Killer[];
  /** As it is known by now. */
  victim: () => Victim;
  /** Whether it may run, but hasn't said who leads it. */
  pending: () => boolean;
  /** Nobody reads any more. */
  close: () => void;
}

/** The end of a call that does not end by itself. */
export class Ending {
  readonly #parts: EndingParts;
  #how: Ended['how'] = 'exit';
  #begun = false;
  #late: NodeJS.Timeout | undefined;
  #killing: Promise<boolean> | undefined;

  constructor(parts: EndingParts) {
    this.#parts = parts;
  }

  get how(): Ended['how'] {
    return this.#how;
  }

  /** Whether its stream ends for that. */
  get isUnderWay(): boolean {
    return this.#killing !== undefined;
  }

  /** Kills it, as soon as there is something to kill. The first reason counts. */
  stop(how: 'timeout' | 'abort'): void {
    if (this.#how !== 'exit') return;
    this.#how = how;
    if (this.#begun) this.#soon();
  }

  /** The engine was asked to run it: from now on there may be something to kill. */
  asked(): void {
    this.#begun = true;
    if (this.#how !== 'exit') this.#soon();
  }

  /** It has said who leads it. */
  led(): void {
    if (this.#begun && this.#how !== 'exit') this.#soon();
  }

  /**
   * The connection to it is lost, though it may run on: its processes are killed beside, where its engine answers again. They are
   * found by their mark alone, since a process id may be another's by then. Where that fails, a container's own `timeout` ends it.
   */
  orphan(): void {
    const { killers, place, victim } = this.#parts;
    void killers[0]?.(place, { ...victim(), leader: undefined });
  }

  /** Waits until that is done. @throws `command_failed` where something of it may be left */
  async settled(): Promise<void> {
    clearTimeout(this.#late);
    if ((await this.#killing) !== false) return;
    const { name } = this.#parts.place.node;
    throw fail('command_failed', `The command on the node '${name}' was to end, but some of its processes could not be killed`);
  }

  /** What hasn't said who leads it is waited for, though not for ever. */
  #soon(): void {
    clearTimeout(this.#late);
    if (this.#parts.pending()) this.#late = setTimeout(() => this.#kill(), grace_ms);
    else this.#kill();
  }

  #kill(): void {
    const { killers, place, victim, close } = this.#parts;
    const before = this.#killing;
    this.#killing = (async () => {
      await before;
      const done = await killBy(killers, place, victim());
      setTimeout(close, done ? grace_ms : 0).unref();
      return done;
    })();
  }
}
