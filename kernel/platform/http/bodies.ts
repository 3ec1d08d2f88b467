import { fail } from '../../contract/failure.js';
import { networkOf } from '../../contract/network.js';
import type { Caller } from '../../contract/operation.js';
import type { DiskFloor } from '../files/disk-floor.js';

/** Bodies up to this size are not counted, so that everybody can log in and call under load. */
const small = 64 * 1024;

/** Limits of concurrent bodies, in bytes. */
export interface BodyLimits {
  /** For one member, or one network without a login. */
  one: number;
  /** For all members, and for all anonymous callers: separate, so that these can't block members. */
  members: number;
  strangers: number;
}

/** Limits of bodies read into memory. */
export const in_memory: BodyLimits = { one: 128 * 1024 ** 2, members: 256 * 1024 ** 2, strangers: 64 * 1024 ** 2 };
/** Limits of uploads, which are stored on disk for their handlers. */
export const on_disk: BodyLimits = { one: 1024 ** 3, members: 4 * 1024 ** 3, strangers: 256 * 1024 ** 2 };

/** Limits of files that are in memory until their receivers have them. */
export const in_transit: BodyLimits = { one: 256 * 1024 ** 2, members: 512 * 1024 ** 2, strangers: 64 * 1024 ** 2 };

/** A counter of bytes with its limit. */
interface ByteCounter {
  bytes: number;
  readonly max: number;
}

/**
 * Counts the bodies in memory, on disk or on their way to clients, from their arrival until the end of their request. hapi limits one body,
 * not all of one member (`bodies.test`).
 */
export class Bodies {
  readonly #max_of_one: number;
  readonly #members: ByteCounter;
  readonly #strangers: ByteCounter;
  readonly #floor: Pick<DiskFloor, 'admit'> | undefined;
  readonly #of = new Map<string | number, ByteCounter>();

  /** @param floor rejects bodies if the disk is low. Default: none is rejected. */
  constructor({ one, members, strangers }: BodyLimits, floor?: Pick<DiskFloor, 'admit'>) {
    this.#floor = floor;
    this.#max_of_one = one;
    this.#members = { bytes: 0, max: members };
    this.#strangers = { bytes: 0, max: strangers };
  }

  /** Starts to count the body of a request. */
  begin({ member_id, address }: Caller): Body {
    const owner = member_id === 0 ? networkOf(address) : member_id;
    const all = member_id === 0 ? this.#strangers : this.#members;
    return new Body((bytes) => this.#add({ owner, all }, bytes), this.#floor);
  }

  #add({ owner, all }: { owner: string | number; all: ByteCounter }, bytes: number): void {
    const own = this.#of.get(owner) ?? { bytes: 0, max: this.#max_of_one };
    if (bytes > 0 && own.bytes + bytes > own.max) {
      throw fail('rate_limited', 'You have too many large requests in progress; wait for some to finish', { retry_after: 1 });
    }
    if (bytes > 0 && all.bytes + bytes > all.max) {
      throw fail('server_busy', 'Too many large requests are in progress; try again in a moment', { retry_after: 1 });
    }
    all.bytes += bytes;
    own.bytes += bytes;
    if (own.bytes > 0) this.#of.set(owner, own);
    else this.#of.delete(owner);
  }
}

/** Counts the bytes of one body. */
export class Body {
  readonly #add: (bytes: number) => void;
  readonly #floor: Pick<DiskFloor, 'admit'> | undefined;
  #arrived = 0;
  #counted = 0;
  #isOver = false;

  constructor(add: (bytes: number) => void, floor: Pick<DiskFloor, 'admit'> | undefined) {
    this.#add = add;
    this.#floor = floor;
  }

  /**
   * Adds received bytes. Fails with `rate_limited` if the sender exceeds its limit, with `server_busy` if all
   * together do, and with `disk_low`.
   */
  keep(bytes: number): void {
    this.#arrived += bytes;
    if (this.#arrived <= small || this.#isOver) return;
    this.#floor?.admit(this.#arrived);
    this.#add(this.#arrived - this.#counted);
    this.#counted = this.#arrived;
  }

  /** Releases the bytes: the request has ended. */
  leave(): void {
    this.#isOver = true;
    if (this.#counted > 0) this.#add(-this.#counted);
    this.#counted = 0;
  }
}
