import { type Clock, fail } from '../../kernel/contract/index.js';
import { lifetime_ms } from './devices.js';
import type { Requester } from './fair-queue.js';
import { type ClientNetwork, clientNetworkOf } from './network.js';
import { digest } from './opaque.js';
import type { Failures } from './store/failures.js';
import type { Store } from './store.js';
import { isoAfter } from './timestamp.js';

const minute_ms = 60_000;
const hour_ms = 60 * minute_ms;
/** Limit of failures with one name within a minute, from one address or on one known device. */
const max_per_client = 10;
/** Limit of failures with one name within an hour, from all addresses or on one known device. */
const max_per_name = 100;
/** Limit of failures with any names from one address within a minute. */
const max_per_address = 30;

/** Password check and its origin. */
export interface Attempt {
  username: string;
  /** Account with that name; 0 for none. */
  member_id: number;
  address: string;
  /** Proof that this device logged in to the account before, or that the account's owner asks; undefined without proof. */
  device: string | undefined;
}

/** Attempt that may proceed. */
export interface AdmittedAttempt {
  attempt: Attempt;
  client: ClientNetwork;
  /** Whether the account's owner logged in from this address or on this device before. */
  known: boolean;
  /** Its entry in the queue of password checks. */
  requester: Requester;
}

/**
 * Limits failed logins: ten a minute for an address and a name, a hundred an hour for a name, thirty a minute for an
 * address. An attempt from an address that logged in to the account within 90 days is only subject to the first limit;
 * one on a known device only to its own failures. Other people's failures therefore slow down strangers, never the
 * account's owner.
 *
 * Failures are counted in the database, so that they count across instances and restarts: a password check costs far
 * more than two indexed reads.
 */
export class LoginLimit {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Admits an attempt. Fails with `rate_limited` if it exceeds a limit. */
  async admit(attempt: Attempt): Promise<AdmittedAttempt> {
    const client = clientNetworkOf(attempt.address);
    const { minute_ago } = this.#windows();
    const [isKnownPlace, network] = await Promise.all([
      this.#store.places.has(attempt.member_id, client.address, isoAfter(this.#clock.now(), -lifetime_ms)),
      this.#store.failures.inNetwork(client, minute_ago),
    ]);
    const known = attempt.device !== undefined || isKnownPlace;
    const requester = known
      ? { flow: `account:${attempt.member_id}`, cost: 1, trusted: true }
      : { flow: `network:${client.network}`, cost: 1 + network.network.count, trusted: false };
    const admitted = { attempt, client, known, requester };
    await this.assertAllowed(admitted);
    return admitted;
  }

  /** Checks the limits again, for an attempt that ran concurrently with others. */
  async assertAllowed({ attempt, client, known }: AdmittedAttempt): Promise<void> {
    const retry_after =
      attempt.device === undefined ? await this.#waitFor(attempt, client, known) : await this.#waitOnDevice(attempt, client);
    if (retry_after > 0) throw fail('rate_limited', `Too many failed logins; try again in ${retry_after} seconds`, { retry_after });
  }

  /**
   * Counts a failure, or fails with `rate_limited` if concurrent attempts have reached the limit: an attempt beyond it
   * must not reveal whether its password was right.
   */
  async recordFailure(admitted: AdmittedAttempt): Promise<void> {
    const { attempt, client } = admitted;
    const name_hash = keyOf(attempt.username);
    const count = async () => {
      await this.assertAllowed(admitted);
      const device = attempt.device ?? '';
      await this.#store.failures.insert({ name_hash, ...client, device, failed_at: this.#clock.iso() });
    };
    await this.#store.exclusive(`login:${name_hash}`, count, { audited: false });
  }

  /** Lists addresses with at least `min` names that failed within an hour, or logged in within a day. Most names first. */
  async sharedAddresses(min: number): Promise<{ address: string; names: number }[]> {
    const day_ago = isoAfter(this.#clock.now(), -24 * hour_ms);
    const [failed, loggedIn] = [
      await this.#store.failures.shared(this.#windows().hour_ago, min),
      await this.#store.places.shared(day_ago, min),
    ];
    return [...failed, ...loggedIn.map(({ address, members }) => ({ address, names: members }))].sort((a, b) => b.names - a.names);
  }

  /** Deletes addresses without a login for 90 days. */
  sweepPlaces(): Promise<number> {
    return this.#store.places.sweep(isoAfter(this.#clock.now(), -lifetime_ms));
  }

  sweep(): Promise<number> {
    return this.#store.failures.sweep(this.#windows().hour_ago);
  }

  async #waitFor(attempt: Attempt, client: ClientNetwork, known: boolean): Promise<number> {
    const since = this.#windows();
    const withName = await this.#store.failures.withName(
      { name_hash: keyOf(attempt.username), address: client.address, device: '-' },
      since,
    );
    const wait = this.#wait(withName.address, max_per_client, minute_ms);
    if (known) return wait;
    const { address } = await this.#store.failures.inNetwork(client, since.minute_ago);
    return Math.max(wait, this.#wait(withName.name, max_per_name, hour_ms), this.#wait(address, max_per_address, minute_ms));
  }

  async #waitOnDevice({ username, device = '' }: Attempt, { address }: ClientNetwork): Promise<number> {
    const found = await this.#store.failures.withName({ name_hash: keyOf(username), address, device }, this.#windows());
    return Math.max(this.#wait(found.device_minute, max_per_client, minute_ms), this.#wait(found.device, max_per_name, hour_ms));
  }

  /** Returns the seconds until fewer than `max` failures are within the window; 0 if that is so now. */
  #wait({ count, oldest }: Failures, max: number, window: number): number {
    if (count < max) return 0;
    const now = this.#clock.now();
    const end = oldest === null ? now + window : Date.parse(oldest) + window;
    return Math.max(1, Math.ceil((end - now) / 1000));
  }

  #windows(): { hour_ago: string; minute_ago: string } {
    const now = this.#clock.now();
    return { hour_ago: isoAfter(now, -hour_ms), minute_ago: isoAfter(now, -minute_ms) };
  }
}

/** Hashes a name, because people also type their passwords there. */
function keyOf(username: string): string {
  return digest(username.toLowerCase());
}
