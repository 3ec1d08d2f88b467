import { type Database, placeholders, type SqlValue } from '../../../kernel/contract/index.js';
import type { About, Kind, Notification, NotificationQuery, Source } from '../contract.js';
import { conversationKinds } from '../kinds.js';
import type { Models } from '../models.js';
import { type Row, recordOf } from '../record.js';

/** The content that all receivers get. */
export interface NewItem {
  source: Source;
  kind: Kind;
  about: Partial<About>;
  title: string;
  summary: string;
  link: string | null;
  /** Equal for repetitions. */
  sameness: string;
  created_at: string;
}

/** A notification and its member. */
export interface MemberNotification {
  member_id: number;
  notification: Notification;
}

type Filter = Pick<NotificationQuery, 'status' | 'source'>;

/** The id up to which the member `$1` has read everything. Rows up to it are read, whatever they say. */
const watermark = '(SELECT COALESCE(MAX(up_to), 0) FROM notifications_watermarks WHERE member_id = $1)';
const unread = `state IN ('pending', 'sent') AND id > ${watermark}`;
const columns = `i.id, i.member_id, i.source, i.kind, i.about, i.title, i.summary, i.link, i.count, i.state, i.im_channel, i.error, i.created_at, i.read_at,
  (SELECT w.at FROM notifications_watermarks w WHERE w.member_id = i.member_id AND w.up_to >= i.id ORDER BY w.up_to LIMIT 1) AS marked_at`;

/**
 * The table `notifications_items`. Changes of a member's rows or their order lock the member first (`MemberRows.hold`),
 * which determines the rows that exist when all are marked as read.
 * Its SQL: the list, the counts and the insertion are benchmark row `notifications`; the changes are claims whose
 * RETURNING lists the rows this process changed.
 */
export class Items {
  readonly #db: Database;
  readonly #model: Models['items'];

  constructor(db: Database, model: Models['items']) {
    this.#db = db;
    this.#model = model;
  }

  async page(member_id: number, { limit, page, ...filter }: NotificationQuery): Promise<Notification[]> {
    const values: SqlValue[] = [member_id, limit, (page - 1) * limit];
    const bySource = filter.source === '' ? '' : `AND source = $${values.push(filter.source)}`;
    // Selects ids first: far pages then cost only an index scan.
    const ids = disjointConditions(filter).map((where) => `SELECT id FROM notifications_items WHERE member_id = $1 ${bySource} ${where}`);
    const rows = await this.#db.rows<Row>(
      `SELECT ${columns} FROM notifications_items i WHERE i.id IN (${ids.join(' UNION ALL ')} ORDER BY id DESC LIMIT $2 OFFSET $3)
       ORDER BY i.id DESC`,
      values,
      { model: this.#model },
    );
    return rows.map(recordOf);
  }

  async count(member_id: number, filter: Filter): Promise<number> {
    const values: SqlValue[] = [member_id];
    const of = filter.source === '' ? '' : `AND source = $${values.push(filter.source)}`;
    const counts = disjointConditions(filter).map(
      (where) => `(SELECT COUNT(*) FROM notifications_items WHERE member_id = $1 ${of} ${where})`,
    );
    const [row] = await this.#db.rows<{ total: number }>(`SELECT ${counts.join(' + ')} AS total`, values);
    return row?.total ?? 0;
  }

  async unread(member_id: number): Promise<number> {
    const sql = `SELECT COUNT(*) AS total FROM notifications_items WHERE member_id = $1 AND ${unread}`;
    const [row] = await this.#db.rows<{ total: number }>(sql, [member_id]);
    return row?.total ?? 0;
  }

  /** Returns the member's latest id, read or not; 0 if there is none. */
  async latest(member_id: number): Promise<number> {
    const latest = await this.#model.findOne({ attributes: ['id'], where: { member_id }, order: [['id', 'DESC']], raw: true });
    return latest?.id ?? 0;
  }

  async find(id: number, member_id: number): Promise<Notification | undefined> {
    return (await this.#withMember([id])).find((each) => each.member_id === member_id)?.notification;
  }

  async byIds(ids: readonly number[]): Promise<MemberNotification[]> {
    return this.#withMember(ids);
  }

  /** Raises the count of the latest equal one that is unread and younger than `since`; returns the members concerned. */
  async countUp(members: readonly number[], sameness: string, since: string): Promise<MemberNotification[]> {
    const rows = await this.#db.rows<{ id: number }>(
      `UPDATE notifications_items SET count = count + 1 WHERE id IN (SELECT MAX(i.id) FROM notifications_items i
         WHERE i.sameness = $1 AND i.created_at > $2 AND i.state IN ('pending', 'sent') AND i.member_id IN (${placeholders(members, 3)})
         AND i.id > COALESCE((SELECT MAX(w.up_to) FROM notifications_watermarks w WHERE w.member_id = i.member_id), 0)
         GROUP BY i.member_id) RETURNING id`,
      [sameness, since, ...members],
    );
    return this.#withMember(rows.map(({ id }) => id));
  }

  /** Turns unread equal notifications of a kind into another; returns them. */
  async replace(
    members: readonly number[],
    { kind, about, title, summary, sameness }: NewItem,
    replaced: Kind,
  ): Promise<{ id: number; member_id: number }[]> {
    return this.#db.rows<{ id: number; member_id: number }>(
      `UPDATE notifications_items SET kind = $1, about = $2, title = $3, summary = $4
       WHERE sameness = $5 AND kind = $6 AND state IN ('pending', 'sent') AND member_id IN (${placeholders(members, 7)})
         AND id > COALESCE((SELECT MAX(w.up_to) FROM notifications_watermarks w WHERE w.member_id = notifications_items.member_id), 0)
       RETURNING id, member_id`,
      [kind, JSON.stringify(about), title, summary, sameness, replaced, ...members],
    );
  }

  async insert(
    members: readonly number[],
    { source, kind, about, title, summary, link, sameness, created_at }: NewItem,
  ): Promise<MemberNotification[]> {
    const shared = [source, title, summary, link, sameness, created_at, kind, JSON.stringify(about), about.session_id ?? null];
    const rows = await this.#db.rows<{ id: number; member_id: number }>(
      `INSERT INTO notifications_items
         (member_id, source, title, summary, link, sameness, created_at, kind, about, session_id, count, state, im_channel)
       VALUES ${members.map((_id, index) => `($${index + 10}, $1, $2, $3, $4, $5, $6, $7, $8, $9, 1, 'pending', '')`).join()} RETURNING id, member_id`,
      [...shared, ...members],
    );
    const content = {
      source,
      kind,
      about,
      title,
      summary,
      link,
      created_at,
      count: 1,
      state: 'pending',
      im_channel: '',
      error: null,
    } as const;
    const unread = { read_at: null, marked_at: null };
    return rows.map(({ id, member_id }) => ({ member_id, notification: recordOf({ id, member_id, ...content, ...unread }) }));
  }

  /** Marks the member's pending ones among `ids` as sent; returns them. */
  async markSent(member_id: number, ids: readonly number[], channel: string): Promise<number[]> {
    const rows = await this.#db.rows<{ id: number }>(
      `UPDATE notifications_items SET state = 'sent', im_channel = $2
       WHERE member_id = $1 AND state = 'pending' AND id > ${watermark} AND id IN (${placeholders(ids, 3)}) RETURNING id`,
      [member_id, channel, ...ids],
    );
    return rows.map(({ id }) => id);
  }

  /** Records that an outside channel accepted it: the first one is kept, even if it was read before. */
  async markAccepted(id: number, channel: string): Promise<void> {
    await this.#db.run(
      `UPDATE notifications_items SET state = CASE WHEN state = 'pending' THEN 'sent' ELSE state END,
         im_channel = CASE WHEN im_channel = '' THEN $2 ELSE im_channel END WHERE id = $1`,
      [id, channel],
    );
  }

  async setError(id: number, error: string | null): Promise<void> {
    await this.#model.update({ error }, { where: { id } });
  }

  /** Marks the member's unread ones among `ids` as read; returns them. */
  async markRead(member_id: number, ids: readonly number[], at: string): Promise<number[]> {
    const rows = await this.#db.rows<{ id: number }>(
      `UPDATE notifications_items SET state = 'read', read_at = $2 WHERE member_id = $1 AND ${unread} AND id IN (${placeholders(ids, 3)}) RETURNING id`,
      [member_id, at, ...ids],
    );
    return rows.map(({ id }) => id).sort((one, other) => one - other);
  }

  /** Whether a conversation has unread notifications. */
  async hasUnreadInConversation(member_id: number, session_id: string): Promise<boolean> {
    const where = { member_id, session_id, state: ['pending', 'sent'] };
    return (await this.#model.findOne({ attributes: ['id'], where, raw: true })) !== null;
  }

  /** Replaces the summary of members' notifications of a message, of those that show its text. */
  async summarise(
    members: readonly number[],
    { session_id, message_id }: { session_id: string; message_id: string },
    summary: string,
  ): Promise<void> {
    const where = { member_id: [...members], session_id, kind: [...conversationKinds] };
    const rows = await this.#model.findAll({ attributes: ['id', 'about'], where, raw: true });
    const ids = rows.filter(({ about }) => about.message_id === message_id).map(({ id }) => id);
    await this.#model.update({ summary }, { where: { id: ids } });
  }

  /** Empties the summaries of members' notifications about a session. */
  async forgetTexts(members: readonly number[], session_id: string): Promise<void> {
    await this.#model.update({ summary: '' }, { where: { member_id: [...members], session_id } });
  }

  /** Marks the unread notifications of a conversation as read; returns their ids. */
  async markConversationRead(member_id: number, session_id: string, at: string): Promise<number[]> {
    const rows = await this.#db.rows<{ id: number }>(
      `UPDATE notifications_items SET state = 'read', read_at = $3 WHERE member_id = $1 AND ${unread} AND session_id = $2
         AND kind IN (${conversationKinds.map((kind) => `'${kind}'`).join()}) RETURNING id`,
      [member_id, session_id, at],
    );
    return rows.map(({ id }) => id).sort((one, other) => one - other);
  }

  async #withMember(ids: readonly number[]): Promise<MemberNotification[]> {
    if (ids.length === 0) return [];
    const rows = await this.#db.rows<Row>(
      `SELECT ${columns} FROM notifications_items i WHERE i.id IN (${placeholders(ids)}) ORDER BY i.id`,
      ids,
      { model: this.#model },
    );
    return rows.map((row) => ({ member_id: row.member_id, notification: recordOf(row) }));
  }
}

/** Conditions that exclude each other; an index has the rows of each in order. */
function disjointConditions({ status }: Filter): string[] {
  if (status === 'all') return [''];
  if (status === 'read') return [`AND state = 'read' AND id > ${watermark}`, `AND id <= ${watermark}`];
  return [`AND state = '${status}' AND id > ${watermark}`];
}
