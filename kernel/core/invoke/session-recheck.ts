import type { Authenticator, Log } from '../../contract/extension.js';
import type { Caller } from '../../contract/operation.js';
import { Loop } from '../events/loop.js';

export interface RecheckOptions {
  /** Returns the current contribution to the slot `authenticator`. */
  authenticator: () => Authenticator | undefined;
  /** Returns the callers of all open streams and sockets of this process. */
  callers: () => Iterable<Caller>;
  /** Closes a caller's streams and sockets. */
  disconnect: (who: { member_id: number; token_id: string }) => void;
  log: Log;
}

const every_ms = 60_000;
/** Callers checked per query, so that the database serves others in between. */
const portion = 500;

/**
 * Checks every minute whether callers with open streams and sockets are still authorised: the broadcast of a revocation is sent once
 * and may be lost between instances.
 */
export class SessionRecheck {
  readonly #options: RecheckOptions;
  readonly #loop: Loop;
  readonly #timer: NodeJS.Timeout;

  constructor(options: RecheckOptions) {
    this.#options = options;
    this.#loop = new Loop(
      () => this.#turn(),
      (err) => options.log.warn('Could not recheck the callers of open streams and sockets', { err }),
    );
    this.#timer = setInterval(() => this.check(), every_ms).unref();
  }

  /** Checks now, or once more after a running check. */
  check(): void {
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

/** Returns the same key for callers with the same authorisation. */
function keyOf({ member_id, role, token_id }: Caller): string {
  return `${member_id} ${role} ${token_id}`;
}
