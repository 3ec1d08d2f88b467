import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame } from '../../contract/socket.js';
import { memberTopic } from './member-topic.js';

/** Members who get a frame, each once, and the journal topics of their frames. */
export interface Group {
  readonly members: readonly number[];
  readonly topics: readonly string[];
}

export interface GroupQueueOptions {
  /** Stores a frame for members; returns false if that failed. */
  store: (group: Group, frame: Frame) => Promise<boolean>;
  /** Returns the frame that makes clients reload. */
  lost: () => Frame;
  retry_ms: number;
  limits?: { frames: number; bytes: number };
}

/** A frame that waits to be stored for many members. */
interface Waiting {
  readonly number: number;
  readonly group: Group;
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
  #frames: Waiting[] = [];
  #bytes = 0;
  #count = 0;
  #waiting: { number: number; resolve: () => void }[] = [];
  #closed = false;

  constructor(options: GroupQueueOptions) {
    this.#options = options;
    this.#limits = options.limits ?? defaultLimits;
  }

  /** Adds a frame; returns the work to wait for if the queue was idle. */
  add(group: Group, frame: Frame, bytes: number): Promise<void> | undefined {
    this.#count += 1;
    this.#frames.push({ number: this.#count, group, frame, bytes });
    this.#bytes += bytes;
    if (this.#frames.length > this.#limits.frames || this.#bytes > this.#limits.bytes) this.#drop();
    return this.#frames.length === 1 ? this.#drain() : undefined;
  }

  /** Waits until the frames that are waiting now are stored for a member; undefined if there are none. */
  stored(member_id: number): Promise<void> | undefined {
    const last = this.#frames.findLast(({ group }) => group.members.includes(member_id));
    if (!last) return undefined;
    return new Promise((resolve) => this.#waiting.push({ number: last.number, resolve }));
  }

  close(): void {
    this.#closed = true;
  }

  async #drain(): Promise<void> {
    for (let [next] = this.#frames; next && !this.#closed; [next] = this.#frames) {
      await this.#store(next);
      this.#frames.shift();
      this.#bytes -= next.bytes;
      this.#release(next.number);
    }
    this.#release(this.#count);
  }

  /** Stores a frame, or once that has failed what makes clients reload in its place. */
  async #store({ group, frame }: Waiting): Promise<void> {
    const { store, lost, retry_ms } = this.#options;
    let isStored = await store(group, frame);
    while (!isStored && !this.#closed) {
      await sleep(retry_ms, undefined, { ref: false });
      isStored = await store(group, lost());
    }
  }

  /** Replaces all but the frame that is being stored. */
  #drop(): void {
    const [current, ...others] = this.#frames;
    if (!current || others.length === 0) return;
    const group = groupOf(others.flatMap(({ group: { members } }) => members));
    this.#frames = [current, { number: this.#count, group, frame: this.#options.lost(), bytes: 0 }];
    this.#bytes = current.bytes;
  }

  #release(number: number): void {
    const ready = this.#waiting.filter((each) => each.number <= number);
    this.#waiting = this.#waiting.filter((each) => each.number > number);
    for (const { resolve } of ready) resolve();
  }
}

/** Returns the group of members, who may be listed more than once. */
export function groupOf(members: readonly number[]): Group {
  const each = [...new Set(members)];
  return { members: each, topics: each.map(memberTopic) };
}
