import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame } from '../../contract/socket.js';

export interface GroupQueueOptions {
  /** Stores a frame for members; returns false if that failed. */
  store: (members: readonly number[], frame: Frame) => Promise<boolean>;
  /** Returns the frame that makes clients reload. */
  lost: () => Frame;
  retry_ms: number;
  limits?: { frames: number; bytes: number };
}

/** A frame that waits to be stored for many members. */
interface Group {
  readonly number: number;
  readonly members: ReadonlySet<number>;
  readonly frame: Frame;
  readonly bytes: number;
}

/** Limits of all waiting frames together. */
const defaultLimits = { frames: 2_000, bytes: 16 * 1024 * 1024 };

/** Stores frames for many members, one after another. Beyond the limits all waiting frames become one that makes clients reload. */
export class GroupQueue {
  readonly #options: GroupQueueOptions;
  readonly #limits: { frames: number; bytes: number };
  /** The first one is being stored. */
  #groups: Group[] = [];
  #bytes = 0;
  #count = 0;
  #waiting: { number: number; resolve: () => void }[] = [];
  #closed = false;

  constructor(options: GroupQueueOptions) {
    this.#options = options;
    this.#limits = options.limits ?? defaultLimits;
  }

  /** Adds a frame; returns the work to wait for if the queue was idle. */
  add(members: ReadonlySet<number>, frame: Frame, bytes: number): Promise<void> | undefined {
    this.#count += 1;
    this.#groups.push({ number: this.#count, members, frame, bytes });
    this.#bytes += bytes;
    if (this.#groups.length > this.#limits.frames || this.#bytes > this.#limits.bytes) this.#drop();
    return this.#groups.length === 1 ? this.#drain() : undefined;
  }

  /** Waits until the frames that are waiting now are stored for a member; undefined if there are none. */
  stored(member_id: number): Promise<void> | undefined {
    const last = this.#groups.findLast(({ members }) => members.has(member_id));
    if (!last) return undefined;
    return new Promise((resolve) => this.#waiting.push({ number: last.number, resolve }));
  }

  close(): void {
    this.#closed = true;
  }

  async #drain(): Promise<void> {
    for (let [group] = this.#groups; group && !this.#closed; [group] = this.#groups) {
      await this.#store(group);
      this.#groups.shift();
      this.#bytes -= group.bytes;
      this.#release(group.number);
    }
    this.#release(this.#count);
  }

  /** Stores a frame, or once that has failed what makes clients reload in its place. */
  async #store({ members, frame }: Group): Promise<void> {
    const { store, lost, retry_ms } = this.#options;
    const all = [...members];
    let isStored = await store(all, frame);
    while (!isStored && !this.#closed) {
      await sleep(retry_ms, undefined, { ref: false });
      isStored = await store(all, lost());
    }
  }

  /** Replaces all but the frame that is being stored. */
  #drop(): void {
    const [current, ...others] = this.#groups;
    if (!current || others.length === 0) return;
    const members = new Set(others.flatMap((group) => [...group.members]));
    this.#groups = [current, { number: this.#count, members, frame: this.#options.lost(), bytes: 0 }];
    this.#bytes = current.bytes;
  }

  #release(number: number): void {
    const ready = this.#waiting.filter((each) => each.number <= number);
    this.#waiting = this.#waiting.filter((each) => each.number > number);
    for (const { resolve } of ready) resolve();
  }
}
