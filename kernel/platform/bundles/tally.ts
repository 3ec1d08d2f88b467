import { fail } from './codes.js';
import { type ArchiveLimits, bundle_limits, unpacked_ratio } from './limits.js';

/** Counts the unpacked bytes of a ZIP. */
export class Tally {
  readonly #packed: number;
  readonly #limits: ArchiveLimits;
  #unpacked = 0;

  /** @param packed size of the ZIP */
  constructor(packed: number, limits: ArchiveLimits = bundle_limits) {
    this.#packed = packed;
    this.#limits = limits;
  }

  get unpacked(): number {
    return this.#unpacked;
  }

  /** Adds unpacked bytes. @throws `bundle_unpacked_too_large`, `bundle_ratio_too_high` */
  add(bytes: number): void {
    const { unpacked_bytes, free_bytes } = this.#limits;
    this.#unpacked += bytes;
    if (this.#unpacked > unpacked_bytes) throw fail('bundle_unpacked_too_large', `The bundle unpacks to more than ${unpacked_bytes} bytes`);
    if (this.#unpacked > Math.max(free_bytes, unpacked_ratio * this.#packed)) {
      throw fail('bundle_ratio_too_high', `The bundle unpacks to more than ${unpacked_ratio} times its size`);
    }
  }
}
