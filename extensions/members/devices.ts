import type { Clock, Secrets } from '../../kernel/contract/index.js';
import { newId } from './opaque.js';

/** Time for which an address or a device is known to an account after its last login. */
export const lifetime_ms = 90 * 24 * 3_600_000;

/** Accounts that one mark stores; the oldest is dropped first. */
const max_accounts = 8;
/** Limit of a mark's length; ours have under 600. */
const max_length = 1_024;
const purpose = 'login-device';

interface Mark {
  use: typeof purpose;
  device: string;
  /** Ids of the accounts that logged in on the device, with the time in ms since the epoch; latest first. */
  accounts: [member_id: number, at: number][];
}

/**
 * Issues marks that a device stores after a login, sealed with the platform's master key. A mark grants no access: it
 * only proves that the device logged in to an account before, so that other people's failed logins don't lock out the
 * account's owner.
 */
export class DeviceMarks {
  readonly #secrets: Secrets;
  readonly #clock: Clock;

  constructor(secrets: Secrets, clock: Clock) {
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /** Returns the device of a mark if it logged in to the account within 90 days. */
  deviceIn(mark: string | undefined, member_id: number): string | undefined {
    const opened = this.#read(mark);
    return opened?.accounts.some(([id]) => id === member_id) ? opened.device : undefined;
  }

  /** Returns the mark of a device that just logged in, including the accounts of its previous mark. */
  renew(mark: string | undefined, member_id: number): string {
    const before = this.#read(mark);
    const others = (before?.accounts ?? []).filter(([id]) => id !== member_id);
    const accounts = [[member_id, this.#clock.now()] as [number, number], ...others].slice(0, max_accounts);
    const renewed: Mark = { use: purpose, device: before?.device ?? newId(), accounts };
    return this.#secrets.seal(Buffer.from(JSON.stringify(renewed)));
  }

  #read(text: string | undefined): Mark | undefined {
    const mark = text === undefined || text.length > max_length ? undefined : this.#open(text);
    if (mark?.use !== purpose) return undefined;
    const since = this.#clock.now() - lifetime_ms;
    return { ...mark, accounts: mark.accounts.filter(([, at]) => at > since) };
  }

  /** Opens a mark. Only marks sealed here can be opened, so their shape needs no validation beyond `use`. */
  #open(text: string): Mark | undefined {
    try {
      return JSON.parse(this.#secrets.open(text).toString()) as Mark;
    } catch {
      return undefined;
    }
  }
}
