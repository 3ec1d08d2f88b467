import { fail } from './codes.js';
import { unpacked_bytes, unpacked_ratio } from './limits.js';

/** Counts the unpacked bytes of a bundle. */
export class Tally {
  readonly #packed: number;
  #unpacked = 0;

  /** @param packed size of the ZIP */
  constructor(packed: number) {
    this.#packed = packed;
  }

  get unpacked(): number {
    return this.#unpacked;
  }

  /** Adds unpacked bytes. @throws `bundle_unpacked_too_large`, `bundle_ratio_too_high` */
  add(bytes: number): void {
    this.#unpacked += bytes;
    if (this.#unpacked > unpacked_bytes) throw fail('bundle_unpacked_too_large', `The bundle unpacks to more than ${unpacked_bytes} bytes`);
    if (this.#unpacked > unpacked_ratio * this.#packed) {
      throw fail('bundle_ratio_too_high', `The bundle unpacks to more than ${unpacked_ratio} times its size`);
    }
  }
}
