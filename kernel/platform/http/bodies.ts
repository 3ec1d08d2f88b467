import { fail } from '../../contract/failure.js';
import { networkOf } from '../../contract/network.js';
import type { Caller } from '../../contract/operation.js';
import type { DiskFloor } from '../files/disk-floor.js';

/** Bodies of so many bytes are not counted: whatever others send, everybody can log in and ask. */
const small = 64 * 1024;

/** What may be here at once, in bytes. */
export interface BodyLimits {
  /** Of one member; of one address where nobody is known. */
  one: number;
  /** Of all members, and of all whom nobody knows: they keep no member out. */
  members: number;
  strangers: number;
}

/** Of what is read into memory. */
export const in_memory: BodyLimits = { one: 128 * 1024 ** 2, members: 256 * 1024 ** 2, strangers: 64 * 1024 ** 2 };
/** Of uploads, which wait on the disk for their handlers. */
export const on_disk: BodyLimits = { one: 1024 ** 3, members: 4 * 1024 ** 3, strangers: 256 * 1024 ** 2 };

/** What some have here, and how much that may be. */
interface Sum {
  bytes: number;
  readonly max: number;
}

/**
 * Counts the bodies that this process has in memory, or on its disk: each as it arrives, until its request has ended. hapi bounds one body,
 * not those of one member (`bodies.test`).
 */
export class Bodies {
  readonly #max_of_one: number;
  readonly #members: Sum;
  readonly #strangers: Sum;
  readonly #floor: Pick<DiskFloor, 'admit'> | undefined;
  readonly #of = new Map<string | number, Sum>();

  /** Without a `floor` no body is refused because of the disk. */
  constructor({ one, members, strangers }: BodyLimits, floor?: Pick<DiskFloor, 'admit'>) {
    this.#floor = floor;
    this.#max_of_one = one;
    this.#members = { bytes: 0, max: members };
    this.#strangers = { bytes: 0, max: strangers };
  }

  /** For the body of a request that begins. */
  begin({ member_id, address }: Caller): Body {
    const whose = member_id === 0 ? networkOf(address) : member_id;
    const all = member_id === 0 ? this.#strangers : this.#members;
    return new Body((bytes) => this.#add({ whose, all }, bytes), this.#floor);
  }

  #add({ whose, all }: { whose: string | number; all: Sum }, bytes: number): void {
    const own = this.#of.get(whose) ?? { bytes: 0, max: this.#max_of_one };
    if (bytes > 0 && own.bytes + bytes > own.max) {
      throw fail('rate_limited', 'You have too many large requests under way; wait for some to end', { retry_after: 1 });
    }
    if (bytes > 0 && all.bytes + bytes > all.max) {
      throw fail('server_busy', 'Too many large requests are under way; try again in a moment', { retry_after: 1 });
    }
    all.bytes += bytes;
    own.bytes += bytes;
    if (own.bytes > 0) this.#of.set(whose, own);
    else this.#of.delete(whose);
  }
}

/** What has come of one body. */
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
   * So many more bytes have arrived. Fails with `rate_limited` where its sender has too much under way, with `server_busy` where all
   * have, and with `disk_low`.
   */
  keep(bytes: number): void {
    this.#arrived += bytes;
    if (this.#arrived <= small || this.#isOver) return;
    this.#floor?.admit(this.#arrived);
    this.#add(this.#arrived - this.#counted);
    this.#counted = this.#arrived;
  }

  /** Its request has ended. */
  leave(): void {
    this.#isOver = true;
    if (this.#counted > 0) this.#add(-this.#counted);
    this.#counted = 0;
  }
}
