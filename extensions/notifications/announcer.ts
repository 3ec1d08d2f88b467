import type { Log, PresenceService } from '../../kernel/contract/index.js';
import type { Notification } from './contract.js';
import { web } from './preferences/chosen.js';
import type { Items, Owned } from './store/items-sql.js';
import type { MemberRows } from './store/members.js';

/** A notification that a member's devices are to be told of. */
export type Announced = Owned;

interface Parts {
  rows: MemberRows;
  items: Items;
  presence: Pick<PresenceService, 'statuses'>;
  log: Log;
  /** Brings a frame to the sockets of a member. */
  push: (member_id: number, frame: { type: string; data: object }) => void;
  track: (work: Promise<unknown>) => void;
}

/**
 * The channel `web`. A notification was taken by it where its member has a live socket on any instance, or where a list
 * of all has shown it. A frame is kept for devices that reconnect, whoever is present.
 */
export class Announcer {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Tells devices of notifications; sent are those of members who have one that listens. */
  announce(announced: readonly Announced[]): void {
    if (announced.length > 0) this.#work(this.#announce(announced));
  }

  /** The member has been shown these in a list. */
  shown(member_id: number, notifications: readonly Notification[]): void {
    const ids = notifications.filter(({ status }) => status === 'pending').map(({ id }) => id);
    if (ids.length > 0) this.#work(this.#sent(member_id, ids));
  }

  /** Tells a member's devices what has been read on one of them; `up_to`: all up to this id. */
  read(member_id: number, read: { ids: readonly number[]; unread: number; up_to?: number }): void {
    this.#parts.push(member_id, { type: 'notification.read', data: read });
  }

  async #announce(announced: readonly Announced[]): Promise<void> {
    const present = await this.#present(announced.map(({ member_id }) => member_id));
    for (const { member_id, notification } of announced) {
      const told = present.has(member_id) ? await this.#taken(member_id, notification) : notification;
      this.#parts.push(member_id, { type: 'notification', data: told });
    }
  }

  /** Whoever can't be asked for counts as away: the frame goes out all the same. */
  async #present(ids: readonly number[]): Promise<ReadonlySet<number>> {
    try {
      const statuses = await this.#parts.presence.statuses(ids);
      return new Set(ids.filter((id) => (statuses.get(id) ?? 'offline') !== 'offline'));
    } catch (err) {
      this.#parts.log.warn('Who is present could not be told', { err });
      return new Set();
    }
  }

  async #taken(member_id: number, notification: Notification): Promise<Notification> {
    if (notification.status !== 'pending') return notification;
    try {
      await this.#sent(member_id, [notification.id]);
      return (await this.#parts.items.find(notification.id, member_id)) ?? notification;
    } catch (err) {
      this.#parts.log.warn('A notification was brought to a socket, but could not be marked as sent', { id: notification.id, err });
      return notification;
    }
  }

  #sent(member_id: number, ids: readonly number[]): Promise<unknown> {
    const { rows, items } = this.#parts;
    return rows.hold(member_id, () => items.sent(member_id, ids, web));
  }

  #work(work: Promise<unknown>): void {
    const { track, log } = this.#parts;
    track(work.catch((err: unknown) => log.warn('Notifications could not be marked as sent', { err })));
  }
}
