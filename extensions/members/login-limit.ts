import { type Clock, fail } from '../../kernel/contract/index.js';
import { known_ms } from './devices.js';
import type { Asker } from './fair-queue.js';
import { type Place, placeOf } from './network.js';
import { digest } from './opaque.js';
import type { Failures } from './store/failures.js';
import type { Store } from './store.js';
import { isoAfter } from './timestamp.js';

const minute = 60_000;
const hour = 60 * minute;
/** Failures with one name within a minute, from one address or on one known device. */
const per_client = 10;
/** Failures with one name within an hour, from all addresses or on one known device. */
const per_name = 100;
/** Failures with any names from one address within a minute. */
const per_address = 30;

/** A password check and its origin. */
export interface Attempt {
  username: string;
  /** The account that the name belongs to; 0 for none. */
  member_id: number;
  address: string;
  /** Proves that this device logged in to this account before, or that the account's owner asks; undefined if nothing does. */
  device: string | undefined;
}

/** An attempt that may go on. */
export interface Admitted {
  attempt: Attempt;
  place: Place;
  /** Whether the account's owner logged in from this address or on this device before. */
  known: boolean;
  /** Its place in the queue for password checks. */
  asker: Asker;
}

/**
 * Limits failed logins: ten a minute for an address and a name, a hundred an hour for a name, thirty a minute for an address. An
 * attempt from an address that logged in to the account within 90 days is held to the first limit alone; one on a known device
 * to its own failures. So others' failures slow down strangers, never the account's owner.
 *
 * Failures are counted in the database, so that all instances count together, also across restarts: a password check costs far
 * more than two indexed reads.
 */
export class LoginLimit {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Fails with `rate_limited` if one more attempt is too many. */
  async admit(attempt: Attempt): Promise<Admitted> {
    const place = placeOf(attempt.address);
    const { minute_ago } = this.#since();
    const [isKnownPlace, network] = await Promise.all([
      this.#store.places.has(attempt.member_id, place.address, isoAfter(this.#clock.now(), -known_ms)),
      this.#store.failures.inNetwork(place, minute_ago),
    ]);
    const known = attempt.device !== undefined || isKnownPlace;
    const asker = known
      ? { flow: `account:${attempt.member_id}`, cost: 1, trusted: true }
      : { flow: `network:${place.network}`, cost: 1 + network.network.count, trusted: false };
    const admitted = { attempt, place, known, asker };
    await this.check(admitted);
    return admitted;
  }

  /** The same again, for an attempt that ran beside others. */
  async check({ attempt, place, known }: Admitted): Promise<void> {
    const retry_after = attempt.device === undefined ? await this.#waitOf(attempt, place, known) : await this.#waitOnDevice(attempt, place);
    if (retry_after > 0) throw fail('rate_limited', `Too many failed logins; try again in ${retry_after} seconds`, { retry_after });
  }

  /**
   * Counts a failure, or fails with `rate_limited` where others that ran beside it have reached the
   * limit: an attempt too many must not tell whether its password was right.
   */
  async failed(admitted: Admitted): Promise<void> {
    const { attempt, place } = admitted;
    const name_hash = keyOf(attempt.username);
    const count = async () => {
      await this.check(admitted);
      const device = attempt.device ?? '';
      await this.#store.failures.insert({ name_hash, ...place, device, failed_at: this.#clock.iso() });
    };
    await this.#store.exclusive(`login:${name_hash}`, count, { audited: false });
  }

  /** Addresses from which at least `min` names came: failed within an hour, or logged in within a day. The most names first. */
  async shared(min: number): Promise<{ address: string; names: number }[]> {
    const day_ago = isoAfter(this.#clock.now(), -24 * hour);
    const [failed, loggedIn] = [
      await this.#store.failures.shared(this.#since().hour_ago, min),
      await this.#store.places.shared(day_ago, min),
    ];
    return [...failed, ...loggedIn.map(({ address, members }) => ({ address, names: members }))].sort((a, b) => b.names - a.names);
  }

  /** Forgets addresses from which nobody has logged in for 90 days. */
  sweepPlaces(): Promise<number> {
    return this.#store.places.sweep(isoAfter(this.#clock.now(), -known_ms));
  }

  sweep(): Promise<number> {
    return this.#store.failures.sweep(this.#since().hour_ago);
  }

  async #waitOf(attempt: Attempt, place: Place, known: boolean): Promise<number> {
    const since = this.#since();
    const withName = await this.#store.failures.withName(
      { name_hash: keyOf(attempt.username), address: place.address, device: '-' },
      since,
    );
    const client = this.#wait(withName.address, per_client, minute);
    if (known) return client;
    const { address } = await this.#store.failures.inNetwork(place, since.minute_ago);
    return Math.max(client, this.#wait(withName.name, per_name, hour), this.#wait(address, per_address, minute));
  }

  async #waitOnDevice({ username, device = '' }: Attempt, { address }: Place): Promise<number> {
    const found = await this.#store.failures.withName({ name_hash: keyOf(username), address, device }, this.#since());
    return Math.max(this.#wait(found.device_minute, per_client, minute), this.#wait(found.device, per_name, hour));
  }

  /** Seconds until fewer than `max` failures are within the window; 0 if there are fewer now. */
  #wait({ count, oldest }: Failures, max: number, window: number): number {
    if (count < max) return 0;
    const now = this.#clock.now();
    const end = oldest === null ? now + window : Date.parse(oldest) + window;
    return Math.max(1, Math.ceil((end - now) / 1000));
  }

  #since(): { hour_ago: string; minute_ago: string } {
    const now = this.#clock.now();
    return { hour_ago: isoAfter(now, -hour), minute_ago: isoAfter(now, -minute) };
  }
}

/** Names are kept as hashes: people also type their passwords there. */
function keyOf(username: string): string {
  return digest(username.toLowerCase());
}
