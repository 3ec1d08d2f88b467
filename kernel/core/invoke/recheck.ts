import type { Authenticator, Log } from '../../contract/extension.js';
import type { Caller } from '../../contract/operation.js';
import { Loop } from '../events/loop.js';

export interface RecheckOptions {
  /** Returns what is registered in the slot `authenticator` now. */
  authenticator: () => Authenticator | undefined;
  /** Callers of everything that is open here. */
  callers: () => Iterable<Caller>;
  /** Ends what is open of a caller. */
  disconnect: (who: { member_id: number; token_id: string }) => void;
  log: Log;
}

const every_ms = 60_000;
/** How many are asked about at once, so that the database serves others in between. */
const portion = 500;

/**
 * Asks again whether those may stay who have streams and sockets open: the word of a revocation is said once, and may be lost
 * between instances.
 */
export class Recheck {
  readonly #options: RecheckOptions;
  readonly #loop: Loop;
  readonly #timer: NodeJS.Timeout;

  constructor(options: RecheckOptions) {
    this.#options = options;
    this.#loop = new Loop(
      () => this.#turn(),
      (err) => options.log.warn('Whether those may stay who have streams and sockets open could not be asked', { err }),
    );
    this.#timer = setInterval(() => this.look(), every_ms).unref();
  }

  /** Asks now; while that is under way, once more after it. */
  look(): void {
    this.#loop.wake();
  }

  async dispose(): Promise<void> {
    clearInterval(this.#timer);
    await this.#loop.stop();
  }

  async #turn(): Promise<undefined> {
    const { authenticator, callers, disconnect } = this.#options;
    const known = [...new Map([...callers()].map((caller) => [keyOf(caller), caller])).values()].filter(({ member_id }) => member_id !== 0);
    for (let start = 0; start < known.length; start += portion) {
      const ended = (await authenticator()?.ended(known.slice(start, start + portion))) ?? [];
      for (const { member_id, token_id } of ended) disconnect({ member_id, token_id });
    }
  }
}

/** Callers with the same key are let in or not together. */
function keyOf({ member_id, role, token_id }: Caller): string {
  return `${member_id} ${role} ${token_id}`;
}
