import { fail, networkOf } from '../../kernel/contract/index.js';

/** argon2id, 19 MiB and two passes: OWASP's password storage recommendation. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * The hash of a random text that nobody kept, at the same cost: what a password is checked against
 * where there is none, so that an unknown user takes as long as a wrong password.
 */
export const decoy = '$argon2id$v=19$m=19456,t=2,p=1$iEUXb1e5oaaB1vKOJzxMwg$Bs3C6ryBfC2eWGQFRnphMCrlc50JoGxptPICg3gql14';

/** Hashes at a time: each takes a core and 19 MiB for some milliseconds, and one of the four threads that also read files. */
const atOnce = 2;
const waitingMost = 64;
/** Of those that come from one address: nobody keeps all others from logging in. */
const waitingOfOne = 32;

interface Waiting {
  /** Where it comes from; undefined where that is no matter. */
  network: string | undefined;
  begin: () => void;
}

/** Hashes and checks passwords, never more than two at a time. */
export class Passwords {
  #running = 0;
  readonly #waiting: Waiting[] = [];

  hash(password: string): Promise<string> {
    return this.#inTurn(async () => {
      const argon2 = await import('@node-rs/argon2');
      return argon2.hash(password, cost);
    });
  }

  /** Whether the password, which came from an address, is the one behind `hash`; without a hash false, after the same time. */
  verify(hash: string | null | undefined, password: string, address: string): Promise<boolean> {
    const check = async () => {
      const argon2 = await import('@node-rs/argon2');
      const right = await argon2.verify(hash ?? decoy, password);
      return right && typeof hash === 'string';
    };
    return this.#inTurn(check, networkOf(address));
  }

  async #inTurn<T>(work: () => Promise<T>, network?: string): Promise<T> {
    await this.#turn(network);
    try {
      return await work();
    } finally {
      // A turn is handed over as it is, so that nobody comes in between.
      const next = this.#waiting.shift();
      if (next) next.begin();
      else this.#running -= 1;
    }
  }

  #turn(network: string | undefined): Promise<void> {
    if (this.#running < atOnce) {
      this.#running += 1;
      return Promise.resolve();
    }
    const ofOne = this.#waiting.filter((one) => network !== undefined && one.network === network);
    if (ofOne.length >= waitingOfOne)
      throw fail('rate_limited', `${waitingOfOne} passwords from your address wait to be checked already; try again in a second`, {
        retry_after: 1,
      });
    if (this.#waiting.length >= waitingMost)
      throw fail('rate_limited', `${waitingMost} passwords wait to be checked already; try again in a second`, { retry_after: 1 });
    return new Promise((begin) => this.#waiting.push({ network, begin }));
  }
}
