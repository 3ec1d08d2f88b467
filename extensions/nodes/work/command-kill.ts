import { fail } from '../codes.js';
import type { CommandResult } from './command.js';
import { type Killer, killBy, type Victim } from './killing.js';
import type { NodeContainer } from './node-container.js';

/** Time in ms for a killed command's stream to end, and for a started one to print its first line. */
const grace_ms = 400;

export interface EndingParts {
  place: NodeContainer;
  /** Killers in order; the first that succeeds is enough. */
  killers: readonly Killer[];
  /** Returns the current target. */
  victim: () => Victim;
  /** Returns whether it may run but hasn't printed its process id. */
  pending: () => boolean;
  /** Closes the stream. */
  close: () => void;
}

/** Ends a call that does not end by itself. */
export class CommandKill {
  readonly #parts: EndingParts;
  #how: CommandResult['how'] = 'exit';
  #begun = false;
  #timer: NodeJS.Timeout | undefined;
  #killing: Promise<boolean> | undefined;

  constructor(parts: EndingParts) {
    this.#parts = parts;
  }

  get how(): CommandResult['how'] {
    return this.#how;
  }

  /** Whether it is being killed, so that its stream ends for that reason. */
  get isUnderWay(): boolean {
    return this.#killing !== undefined;
  }

  /** Kills it as soon as there is something to kill. The first reason is recorded. */
  stop(how: 'timeout' | 'abort'): void {
    if (this.#how !== 'exit') return;
    this.#how = how;
    if (this.#begun) this.#killWhenReady();
  }

  /** The engine was asked to run it: from now on there may be something to kill. */
  started(): void {
    this.#begun = true;
    if (this.#how !== 'exit') this.#killWhenReady();
  }

  /** Its process id is known. */
  leaderKnown(): void {
    if (this.#begun && this.#how !== 'exit') this.#killWhenReady();
  }

  /**
   * Kills it after a lost connection, once its engine answers again, because it may still run. Its processes are found
   * only by their mark: the process id may have been reused by then. If that fails, the container's own `timeout` ends
   * it.
   */
  killOrphan(): void {
    const { killers, place, victim } = this.#parts;
    void killers[0]?.(place, { ...victim(), leader: undefined });
  }

  /**
   * Waits until the kill is done.
   *
   * @throws `command_failed` if some of its processes may be left
   */
  async waitUntilKilled(): Promise<void> {
    clearTimeout(this.#timer);
    if ((await this.#killing) !== false) return;
    const { name } = this.#parts.place.node;
    throw fail('command_failed', `The command on the node '${name}' was cancelled, but some of its processes could not be killed`);
  }

  /** Kills it once its process id is known, or after a limit. */
  #killWhenReady(): void {
    clearTimeout(this.#timer);
    if (this.#parts.pending()) this.#timer = setTimeout(() => this.#kill(), grace_ms);
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
