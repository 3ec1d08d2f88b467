import { fail } from '../../kernel/contract/index.js';
import { FairQueue, type Requester } from './fair-queue.js';
import { normalPassword } from './password-text.js';

/** Cost of argon2id: 19 MiB and two passes, OWASP's password storage recommendation. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * Hash of a random text that nobody knows, at the same cost. Checked if a member has no password, so that an unknown
 * user takes as long as a wrong password.
 */
export const dummyHash = '$argon2id$v=19$m=19456,t=2,p=1$iEUXb1e5oaaB1vKOJzxMwg$Bs3C6ryBfC2eWGQFRnphMCrlc50JoGxptPICg3gql14';

/** Requester for passwords that administrators set, who are logged in. */
const administrators: Requester = { flow: 'set', cost: 1, trusted: true };

/** Hashes and checks passwords, two at a time: each takes a core, 19 MiB and one of the four threads that also read files. */
export class Passwords {
  readonly #queue = new FairQueue({
    max_running: 2,
    max_waiting: 512,
    max_of_flow: 64,
    max_wait_ms: 20_000,
    rejection: () => fail('rate_limited', 'Too many password checks are waiting; try again in a few seconds', { retry_after: 5 }),
  });

  hash(password: string): Promise<string> {
    return this.#queue.run(administrators, async () => {
      const argon2 = await import('@node-rs/argon2');
      return argon2.hash(normalPassword(password), cost);
    });
  }

  /**
   * Checks a password against a hash; without a hash returns `wrong` after the same time. `outdated`: it is right, but
   * was hashed as typed, before passwords were normalised.
   */
  verify(hash: string | null | undefined, password: string, requester: Requester): Promise<'right' | 'outdated' | 'wrong'> {
    return this.#queue.run(requester, async () => {
      const argon2 = await import('@node-rs/argon2');
      const normal = normalPassword(password);
      const right = await argon2.verify(hash ?? dummyHash, normal);
      const unnormalised = !right && normal !== password && (await argon2.verify(hash ?? dummyHash, password));
      if (typeof hash !== 'string') return 'wrong';
      return right ? 'right' : unnormalised ? 'outdated' : 'wrong';
    });
  }
}
