import type { Clock, Secrets } from '../../kernel/contract/index.js';
import { newId } from './opaque.js';

/** How long an address or a device is known to an account after its last login. */
export const known_ms = 90 * 24 * 3_600_000;

/** Accounts that one mark remembers; the oldest goes first. */
const max_accounts = 8;
/** Ours have under 600 characters. */
const max_length = 1_024;
const use = 'login-device';

interface Mark {
  use: typeof use;
  device: string;
  /** Ids of the accounts that logged in on the device, each with when, in ms since the epoch; the latest first. */
  accounts: [member_id: number, at: number][];
}

/**
 * Marks that a device keeps from its logins: sealed with the platform's master key. A mark opens nothing. It only shows that the
 * device logged in to an account before, so that others' failed logins don't keep the account's owner out.
 */
export class DeviceMarks {
  readonly #secrets: Secrets;
  readonly #clock: Clock;

  constructor(secrets: Secrets, clock: Clock) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /** The device that the mark names, if it logged in to that account within 90 days. */
  deviceOf(mark: string | undefined, member_id: number): string | undefined {
    const read = this.#read(mark);
    return read?.accounts.some(([id]) => id === member_id) ? read.device : undefined;
  }

  /** The mark of a device that has just logged in, which also keeps what its mark before said. */
  renew(mark: string | undefined, member_id: number): string {
    const before = this.#read(mark);
    const others = (before?.accounts ?? []).filter(([id]) => id !== member_id);
    const accounts = [[member_id, this.#clock.now()] as [number, number], ...others].slice(0, max_accounts);
    const renewed: Mark = { use, device: before?.device ?? newId(), accounts };
    return this.#secrets.seal(Buffer.from(JSON.stringify(renewed)));
  }

  #read(text: string | undefined): Mark | undefined {
    const mark = text === undefined || text.length > max_length ? undefined : this.#open(text);
    if (mark?.use !== use) return undefined;
    const since = this.#clock.now() - known_ms;
    return { ...mark, accounts: mark.accounts.filter(([, at]) => at > since) };
  }

  /** Only what was sealed here can be opened, so that its shape needs no check beyond its use. */
  #open(text: string): Mark | undefined {
    try {
      return JSON.parse(this.#secrets.open(text).toString()) as Mark;
    } catch {
      return undefined;
    }
  }
}
