import { type Clock, fail as coreFail } from '../../kernel/contract/index.js';
import type { SessionLeft } from '../chat/contract.js';
import type { Announcer } from './announcer.js';
import { fail } from './codes.js';
import type { NotificationDetail, NotificationPage, NotificationQuery } from './contract.js';
import type { Deliveries } from './store/deliveries-sql.js';
import type { Items } from './store/items-sql.js';
import type { MemberRows } from './store/members.js';
import type { Watermarks } from './store/watermarks.js';

interface Parts {
  rows: MemberRows;
  items: Items;
  watermarks: Watermarks;
  deliveries: Deliveries;
  announcer: Announcer;
  clock: Clock;
}

/** A member's access to its own notifications; those of others don't exist for it. */
export class Service {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** An unfiltered list marks its notifications as sent once it has been returned. */
  async list(member_id: number, query: NotificationQuery): Promise<NotificationPage> {
    const { items, announcer } = this.#parts;
    const [total, notifications] = await Promise.all([items.count(member_id, query), items.page(member_id, query)]);
    if (query.status === 'all') announcer.markListed(member_id, notifications);
    return { total, page: query.page, limit: query.limit, notifications };
  }

  async get(id: number, member_id: number): Promise<NotificationDetail> {
    const { items, deliveries } = this.#parts;
    const notification = await items.find(id, member_id);
    if (!notification) throw fail('notification_not_found', `There is no notification ${id} of yours`);
    return { ...notification, deliveries: await deliveries.recordsOf(id) };
  }

  async unread(member_id: number): Promise<{ unread: number }> {
    return { unread: await this.#parts.items.unread(member_id) };
  }

  /** Withdraws what the member has seen by reading the conversation itself. */
  async readConversation(member_id: number, session_id: string): Promise<void> {
    const { rows, items, deliveries, announcer, clock } = this.#parts;
    if (!(await items.hasUnreadInConversation(member_id, session_id))) return;
    await rows.lock(member_id, async () => {
      const ids = await items.markConversationRead(member_id, session_id, clock.iso());
      if (ids.length === 0) return;
      await deliveries.withdraw(ids);
      announcer.broadcastRead(member_id, { ids, unread: await items.unread(member_id) });
    });
  }

  /** Removes the texts from members' notifications about a session that they left, within the transaction in which they leave. */
  async leaveSession({ session_id, member_ids }: SessionLeft): Promise<void> {
    const { rows, items } = this.#parts;
    // Waits for notifications that are being created; later ones are created only for members of the session.
    await rows.lockAll(member_ids);
    await items.forgetTexts(member_ids, session_id);
  }

  /** `all` means those that exist now. Unknown ids, those of others and already read ones change nothing. */
  async read(member_id: number, { notification_ids, all }: ReadInput): Promise<{ updated: number; unread: number }> {
    if (all !== true && notification_ids === undefined) throw missingIds();
    return this.#parts.rows.lock(member_id, () => (all ? this.#readAll(member_id) : this.#readSome(member_id, notification_ids ?? [])));
  }

  async #readAll(member_id: number): Promise<{ updated: number; unread: number }> {
    const { items, watermarks, announcer, clock } = this.#parts;
    const updated = await items.unread(member_id);
    if (updated === 0) return { updated, unread: 0 };
    const up_to = await items.latest(member_id);
    await watermarks.set(member_id, up_to, clock.iso());
    announcer.broadcastRead(member_id, { ids: [], unread: 0, up_to });
    return { updated, unread: 0 };
  }

  async #readSome(member_id: number, wanted: readonly number[]): Promise<{ updated: number; unread: number }> {
    const { items, announcer, clock } = this.#parts;
    const ids = await items.markRead(member_id, wanted, clock.iso());
    const unread = await items.unread(member_id);
    if (ids.length > 0) announcer.broadcastRead(member_id, { ids, unread });
    return { updated: ids.length, unread };
  }
}

interface ReadInput {
  notification_ids?: readonly number[] | undefined;
  all?: boolean | undefined;
}

function missingIds() {
  const message = "Pass the notifications' ids, or all: true";
  return coreFail('invalid_input', message, { details: [{ path: 'notification_ids', message }] });
}
