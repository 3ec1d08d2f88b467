import { type StatsFs, statfsSync } from 'node:fs';
import { fail } from '../../contract/failure.js';

/** Smaller writes are accepted while there is any space: people can still log in, write to each other and delete. */
const small_bytes = 64 * 1024;
/** Default floor: this share of the disk, but no more than these bytes. */
const default_share = 0.05;
const default_bytes = 1024 ** 3;
/** How long a measurement is reused. */
const fresh_ms = 1_000;
const retry_s = 60;

export interface DiskSpace {
  bytes: number;
  free: number;
  files: number;
  free_files: number;
}

/** Returns how much space a disk has, by what `statfs` says. */
export function spaceOf({ bsize, blocks, bavail, files, ffree }: StatsFs): DiskSpace {
  return { bytes: blocks * bsize, free: bavail * bsize, files, free_files: ffree };
}

/** Returns how many bytes must stay free on a disk; `min_free_bytes` is the setting, empty if it is not set. */
export function floorOf({ bytes }: Pick<DiskSpace, 'bytes'>, min_free_bytes: number | '' = ''): number {
  return min_free_bytes === '' ? Math.min(bytes * default_share, default_bytes) : min_free_bytes;
}

export interface DiskFloorOptions {
  /** Folders on the disks to watch. */
  folders: readonly string[];
  /** The setting, empty if it is not set. */
  min_free_bytes?: number | '' | undefined;
  /** Milliseconds of a monotonic clock. Default: the process's. */
  now?: () => number;
}

/** Refuses large writes while one of the disks has too little free space. */
export class DiskFloor {
  readonly #options: DiskFloorOptions;
  readonly #now: () => number;
  #looked = Number.NEGATIVE_INFINITY;
  #isLow = false;

  constructor(options: DiskFloorOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Fails with `disk_low` if a write of this size has to wait for free space. */
  admit(bytes: number): void {
    if (bytes <= small_bytes || !this.#low()) return;
    const message = "The platform's disk has too little free space: nothing over 64 KiB is accepted until an administrator frees space";
    throw fail('disk_low', message, { retry_after: retry_s });
  }

  #low(): boolean {
    const now = this.#now();
    if (now - this.#looked >= fresh_ms) {
      const { folders, min_free_bytes } = this.#options;
      this.#isLow = folders.some((folder) => isLow(folder, min_free_bytes));
      this.#looked = now;
    }
    return this.#isLow;
  }
}

/** Returns whether a disk is low on space. An unreadable one counts as fine, because writing to it reports the fault. */
function isLow(folder: string, min_free_bytes: number | '' | undefined): boolean {
  try {
    const space = spaceOf(statfsSync(folder));
    return space.free < floorOf(space, min_free_bytes);
  } catch {
    return false;
  }
}
