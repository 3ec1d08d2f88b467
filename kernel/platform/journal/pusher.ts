import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Log } from '../../contract/extension.js';
import type { Bus } from '../../contract/journal.js';
import type { Audience, Frame, PushOptions } from '../../contract/socket.js';
import { endsWithin } from '../../contract/within.js';
import type { Data } from '../data/hub.js';
import { type Group, GroupQueue, groupOf } from './group-queue.js';
import { memberTopic } from './member-topic.js';
import type { PlatformJournal } from './platform-journal.js';

export interface PusherOptions {
  data: Data;
  journal: PlatformJournal;
  bus: Bus;
  clock: Clock;
  log: Log;
  /** Id of this process on the bus. */
  instance: string;
  /** Whether there may be other instances. */
  clustered: boolean;
}

/** A frame that is not stored, as instances send it to each other. Its text is created once. */
export interface Broadcast {
  to: Audience;
  /** Topic whose readers don't get the frame. */
  except?: string | undefined;
  text: string;
}

/** Frames that wait to be stored for one member. */
interface Queue {
  entries: Frame[];
  bytes: number;
  /** Whether frames were lost, so that the member's clients must reload. */
  lost: boolean;
}

const channel = 'kernel.frames';
/** Limit of members above which a frame is stored only for those with a topic: their clients were connected within the last hour. */
const max_small_group = 20;
/** Limit of a stored frame: the journal accepts 64 KiB, and an entry also has its time. */
const max_kept_bytes = 60 * 1024;
/** Limits of waiting frames for each member, equal to those of the journal. */
const max_waiting = 2_000;
const max_waiting_bytes = 1024 * 1024;
const batch = 100;
const retry_ms = 1_000;
const closing_ms = 1_500;

/**
 * Sends frames to sockets on all instances. Stored ones go through the journal, from which
 * each socket reads at its own pace; the others are broadcast to all instances at once.
 */
export class Pusher {
  readonly #options: PusherOptions;
  readonly #queues = new Map<number, Queue>();
  readonly #groups: GroupQueue;
  /** Groups of frozen lists: a room's list is the same for each of its messages, and naming the topics of thousands takes time. */
  readonly #known = new WeakMap<readonly number[], Group>();
  #heard: (broadcast: Broadcast) => void = () => undefined;
  readonly #underWay = new Set<Promise<void>>();
  #closed = false;

  constructor(options: PusherOptions) {
    this.#options = options;
    this.#groups = new GroupQueue({
      store: (group, frame) => this.#appendToGroup(group, frame),
      lost: () => this.#lost(),
      retry_ms,
    });
  }

  /** Listens to frames for the sockets of this process; returns the function that stops it. */
  async listen(heard: (broadcast: Broadcast) => void): Promise<() => Promise<void>> {
    this.#heard = heard;
    const { bus, instance } = this.#options;
    return bus.subscribe(channel, (message: Broadcast & { from: string }) => {
      if (message.from !== instance) heard(message);
    });
  }

  /** Waits shortly for pending writes: the last frames of an ending process. */
  async close(): Promise<void> {
    await endsWithin(closing_ms, Promise.allSettled(this.#underWay));
    this.#closed = true;
    this.#groups.close();
  }

  push(to: Audience, frame: Frame, { keep = true }: PushOptions = {}): void {
    this.#options.data.facade('kernel').afterCommit(() => {
      if (keep && to !== 'everyone' && 'members' in to) this.#keep(to.members, frame);
      else this.#broadcast(this.#broadcastOf(to, frame));
    });
  }

  /** Sends a frame to the sockets of this process only. `except`: a topic whose readers don't get it. */
  pushHere(to: Audience, frame: Frame, { except }: Pick<Broadcast, 'except'> = {}): void {
    this.#heard(this.#broadcastOf(to, frame, except));
  }

  /** Builds a broadcast whose text is created on first access: most broadcasts have no readers. */
  #broadcastOf(to: Audience, { type, data }: Frame, except?: string): Broadcast {
    const { clock } = this.#options;
    let text: string | undefined;
    return {
      to,
      ...(except === undefined ? {} : { except }),
      get text() {
        text ??= `{"type":${JSON.stringify(type)},"data":${JSON.stringify(data)},"ts":"${clock.iso()}"}`;
        return text;
      },
    };
  }

  #broadcast(broadcast: Broadcast): void {
    const { bus, instance, clustered, log } = this.#options;
    this.#heard(broadcast);
    if (!clustered) return;
    const published = bus.publish(channel, { ...broadcast, from: instance }).catch((cause: unknown) => {
      log.warn('A frame did not reach the other instances', { cause });
    });
    this.#await(published);
  }

  #keep(members: readonly number[], frame: Frame): void {
    const bytes = Buffer.byteLength(JSON.stringify(frame.data));
    const kept = bytes <= max_kept_bytes ? frame : resync('frame_too_large');
    const entry = { type: kept.type, data: { ts: this.#options.clock.iso(), data: kept.data } };
    const group = this.#groupOf(members);
    const isLarge = group.members.length > max_small_group;
    // Members with waiting frames get this one by the same queue, after those.
    const queued = isLarge ? this.#queuedOf(group) : group.members;
    for (const member_id of queued) this.#enqueue(member_id, entry, bytes);
    if (queued.length === group.members.length) return;
    const rest = queued.length === 0 ? group : this.#groupOf(group.members.filter((member_id) => !this.#queues.has(member_id)));
    const work = this.#groups.add(rest, entry, bytes);
    if (work) this.#await(work);
  }

  #groupOf(members: readonly number[]): Group {
    const known = this.#known.get(members);
    if (known) return known;
    const group = groupOf(members);
    if (Object.isFrozen(members)) this.#known.set(members, group);
    return group;
  }

  #queuedOf({ members }: Group): readonly number[] {
    return this.#queues.size === 0 ? [] : members.filter((member_id) => this.#queues.has(member_id));
  }

  #enqueue(member_id: number, entry: Frame, bytes: number): void {
    const queue = this.#queues.get(member_id) ?? { entries: [], bytes: 0, lost: false };
    queue.entries.push(entry);
    queue.bytes += bytes;
    if (queue.entries.length > max_waiting || queue.bytes > max_waiting_bytes) Object.assign(queue, { entries: [], bytes: 0, lost: true });
    if (this.#queues.has(member_id)) return;
    this.#queues.set(member_id, queue);
    this.#await(this.#drain(member_id, queue));
  }

  #await(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  async #drain(member_id: number, queue: Queue): Promise<void> {
    // Earlier frames to a large group come first.
    const earlier = this.#groups.stored(member_id);
    if (earlier) await earlier;
    while ((queue.entries.length > 0 || queue.lost) && !this.#closed) {
      const entries = queue.entries.splice(0, batch);
      if (queue.entries.length === 0) queue.bytes = 0;
      if (queue.lost) entries.unshift(this.#lost());
      queue.lost = false;
      if (await this.#append(member_id, entries)) continue;
      queue.lost = true;
      await sleep(retry_ms, undefined, { ref: false });
    }
    this.#queues.delete(member_id);
  }

  async #append(member_id: number, entries: readonly Frame[]): Promise<boolean> {
    const { journal, log } = this.#options;
    try {
      await journal.append(memberTopic(member_id), entries);
      return true;
    } catch (cause) {
      log.warn('Frames could not be stored', { member_id, frames: entries.length, cause });
      return false;
    }
  }

  async #appendToGroup({ topics }: Group, frame: Frame): Promise<boolean> {
    const { journal, log } = this.#options;
    try {
      await journal.appendExisting(topics, [frame]);
      return true;
    } catch (cause) {
      log.warn('A frame could not be stored', { members: topics.length, cause });
      return false;
    }
  }

  #lost(): Frame {
    return { type: 'resync', data: { ts: this.#options.clock.iso(), data: resync('frames_lost').data } };
  }
}

/** Returns the frame that makes clients reload. */
function resync(reason: string): Frame {
  return { type: 'resync', data: { reason } };
}
