import type { Log, PresenceService } from '../../kernel/contract/index.js';
import type { Notification } from './contract.js';
import { web } from './preferences/preference.js';
import type { Items, MemberNotification } from './store/items-sql.js';
import type { MemberRows } from './store/members.js';

/** A notification to announce to a member's devices. */
export type AnnouncedNotification = MemberNotification;

interface Parts {
  rows: MemberRows;
  items: Items;
  presence: Pick<PresenceService, 'statuses'>;
  log: Log;
  /** Sends a frame to the member's sockets. */
  push: (member_id: number, frame: { type: string; data: object }) => void;
  track: (work: Promise<unknown>) => void;
}

/**
 * The channel `web`. It has accepted a notification if the member has a live socket on any instance, or if an
 * unfiltered list showed it. Frames are sent even if no socket is connected: devices that reconnect get them.
 */
export class Announcer {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Sends frames for notifications. Those of members with a live socket become `sent`. */
  announce(announced: readonly AnnouncedNotification[]): void {
    if (announced.length > 0) this.#runInBackground(this.#announce(announced));
  }

  /** Marks notifications as sent that an unfiltered list showed to the member. */
  markListed(member_id: number, notifications: readonly Notification[]): void {
    const ids = notifications.filter(({ status }) => status === 'pending').map(({ id }) => id);
    if (ids.length > 0) this.#runInBackground(this.#storeSent(member_id, ids));
  }

  /** Sends `notification.read` to the member's devices. `up_to`: everything up to this id was read. */
  broadcastRead(member_id: number, read: { ids: readonly number[]; unread: number; up_to?: number }): void {
    this.#parts.push(member_id, { type: 'notification.read', data: read });
  }

  async #announce(announced: readonly AnnouncedNotification[]): Promise<void> {
    const online = await this.#onlineMembers(announced.map(({ member_id }) => member_id));
    for (const { member_id, notification } of announced) {
      const record = online.has(member_id) ? await this.#markSent(member_id, notification) : notification;
      this.#parts.push(member_id, { type: 'notification', data: record });
    }
  }

  /** Returns the members who are online. If presence can't be read, nobody counts as online; frames are sent anyway. */
  async #onlineMembers(ids: readonly number[]): Promise<ReadonlySet<number>> {
    try {
      const statuses = await this.#parts.presence.statuses(ids);
      return new Set(ids.filter((id) => (statuses.get(id) ?? 'offline') !== 'offline'));
    } catch (err) {
      this.#parts.log.warn('Could not read presence', { err });
      return new Set();
    }
  }

  async #markSent(member_id: number, notification: Notification): Promise<Notification> {
    if (notification.status !== 'pending') return notification;
    try {
      await this.#storeSent(member_id, [notification.id]);
      return (await this.#parts.items.find(notification.id, member_id)) ?? notification;
    } catch (err) {
      this.#parts.log.warn('Could not mark a notification as sent', { id: notification.id, err });
      return notification;
    }
  }

  #storeSent(member_id: number, ids: readonly number[]): Promise<unknown> {
    const { rows, items } = this.#parts;
    return rows.lock(member_id, () => items.markSent(member_id, ids, web));
  }

  #runInBackground(work: Promise<unknown>): void {
    const { track, log } = this.#parts;
    track(work.catch((err: unknown) => log.warn('Could not mark notifications as sent', { err })));
  }
}
