import { randomUUID } from 'node:crypto';
import { type Database, Op, type SqlValue, tuple } from '../../../kernel/contract/index.js';
import type { Mention, NotificationLevel, Notifying, OpenRoom, RoomQuery, SessionNotifications, Visibility } from '../contract.js';
import type { Models, ParticipantRow, SessionRow } from '../models.js';
import type { Participant } from './sessions-sql.js';

/** A member to add to a room. */
export type NewParticipant = Pick<ParticipantRow, 'member_id' | 'kind' | 'role'>;

/** A room's record, without what differs for each of its members. */
export type RoomRow = Pick<SessionRow, 'id' | 'title' | 'topic' | 'visibility' | 'room_no' | 'members_version' | 'member_count'>;

export type RoomRecord = Pick<SessionRow, 'id' | 'title' | 'topic' | 'visibility' | 'member_count'>;

interface NewRoom {
  id: string;
  title: string;
  visibility: Visibility;
  created_by: number;
  now: string;
}

const roomColumns = ['id', 'title', 'topic', 'visibility', 'room_no', 'members_version', 'member_count'] as const;

/** Members added per statement. */
const portion = 200;

/** Tables `chat_sessions`, `chat_participants`, `chat_mentions` and `chat_former_members`, for rooms. */
export class RoomRows {
  readonly #db: Database;
  readonly #models: Pick<Models, 'sessions' | 'participants' | 'mentions' | 'former'>;

  constructor(db: Database, models: Pick<Models, 'sessions' | 'participants' | 'mentions' | 'former'>) {
    this.#db = db;
    this.#models = models;
  }

  /** Creates a room without members. Plain SQL: only the database gives the number for the search index. */
  async create({ id, title, visibility, created_by, now }: NewRoom): Promise<void> {
    const number =
      this.#db.dialect === 'postgres' ? "nextval('chat_sessions_numbers')" : '(SELECT coalesce(max(room_no), 0) + 1 FROM chat_sessions)';
    await this.#db.run(
      `INSERT INTO chat_sessions (id, title, target_type, created_by, created_at, updated_at, last_message_preview, last_ms, visibility, search,
         room_no) VALUES ($1, $2, 'room', $3, $4, $4, '', 0, $5, $6, ${number})`,
      [id, title, created_by, now, visibility, searchOf({ title, topic: '' })],
    );
  }

  /** Reads a room and locks it until the current transaction ends; undefined if the session is no room or is gone. A lock. */
  async lock(id: string): Promise<RoomRow | undefined> {
    const [row] = await this.#db.rows<RoomRow>(
      `SELECT ${roomColumns.join()} FROM chat_sessions WHERE id = $1 AND target_type = 'room' FOR UPDATE`,
      [id],
    );
    return row;
  }

  async find(id: string): Promise<RoomRow | undefined> {
    const query = { attributes: [...roomColumns], where: { id, target_type: 'room' as const }, raw: true };
    return (await this.#models.sessions.findOne(query)) ?? undefined;
  }

  /** Returns what members see of a room's record, the same for all of them. */
  async record(id: string): Promise<RoomRecord | undefined> {
    const attributes = ['id', 'title', 'topic', 'visibility', 'member_count'];
    return ((await this.#models.sessions.findOne({ attributes, where: { id }, raw: true })) as RoomRecord | null) ?? undefined;
  }

  /** Returns the titles of those of the sessions that are open rooms. */
  async openTitles(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const query = { attributes: ['id', 'title'], where: { id: [...ids], visibility: 'open' as const }, raw: true };
    const rows = ids.length === 0 ? [] : await this.#models.sessions.findAll(query);
    return new Map(rows.map(({ id, title }) => [id, title]));
  }

  /** Returns those of the given members who are in the room. */
  async among(session_id: string, member_ids: readonly number[]): Promise<Participant[]> {
    if (member_ids.length === 0) return [];
    const attributes = ['member_id', 'is_guest', 'kind', 'role', 'answers'];
    const query = { attributes, where: { session_id, member_id: [...member_ids] }, raw: true };
    return this.#models.participants.findAll(query) as Promise<Participant[]>;
  }

  /** Returns the AI employees of a room, by id. */
  employees(session_id: string): Promise<Participant[]> {
    const attributes = ['member_id', 'is_guest', 'kind', 'role', 'answers'];
    const query = { attributes, where: { session_id, kind: 'ai' as const }, order: ['member_id'], raw: true };
    return this.#models.participants.findAll(query) as Promise<Participant[]>;
  }

  /** Adds members who are not in the room yet; lock the room first. Returns their ids. RETURNING shows which are new. */
  async add(session_id: string, members: readonly NewParticipant[], now: string): Promise<number[]> {
    const added: number[] = [];
    for (let start = 0; start < members.length; start += portion) {
      const values: SqlValue[] = [session_id, now];
      const rows = members.slice(start, start + portion).map(({ member_id, kind, role }) => {
        return tuple(values, [member_id, kind, role, kind === 'plugin' ? 1 : 0]);
      });
      // The columns of a list of values have no type on PostgreSQL. `WHERE true` ends SQLite's FROM before ON.
      const found = await this.#db.rows<Pick<ParticipantRow, 'member_id'>>(
        `INSERT INTO chat_participants (session_id, member_id, target_type, target_id, unread_count, hidden, activity_at, is_guest, kind, role,
           joined_at, read_at, read_count)
         SELECT $1, CAST(v.column1 AS INTEGER), 'room', '', 0, 0, $2, CAST(v.column4 AS INTEGER), v.column2, v.column3, $2,
           COALESCE(s.last_message_at, ''), s.message_count
         FROM (VALUES ${rows.join()}) AS v JOIN chat_sessions s ON s.id = $1 WHERE true
         ON CONFLICT (session_id, member_id) DO NOTHING RETURNING member_id`,
        values,
      );
      added.push(...found.map(({ member_id }) => member_id));
    }
    if (added.length > 0) await this.#changed(session_id, added.length);
    return added;
  }

  /** Removes members; lock the room first. Returns those who were in it. */
  async remove(session_id: string, member_ids: readonly number[]): Promise<Participant[]> {
    const present = await this.among(session_id, member_ids);
    if (present.length === 0) return [];
    const ids = present.map(({ member_id }) => member_id);
    await this.#models.participants.destroy({ where: { session_id, member_id: ids } });
    const former = ids.map((member_id) => ({ session_id, member_id }));
    await this.#models.former.bulkCreate(former, { ignoreDuplicates: true });
    await this.#changed(session_id, -present.length);
    return present;
  }

  async #changed(id: string, by: number): Promise<void> {
    await this.#models.sessions.increment({ member_count: by }, { where: { id } });
    await this.#models.sessions.update({ members_version: randomUUID() }, { where: { id } });
  }

  /** Changes title, topic or visibility of a locked room. */
  async update(room: RoomRow, change: Partial<Pick<SessionRow, 'title' | 'topic' | 'visibility'>>, updated_at: string): Promise<void> {
    const search = searchOf({ ...room, ...change });
    await this.#models.sessions.update({ ...change, search, updated_at }, { where: { id: room.id } });
  }

  /** Stores since when a room has no people; null if it has some. */
  async setEmptied(id: string, emptied_at: string | null): Promise<void> {
    await this.#models.sessions.update({ emptied_at }, { where: { id } });
  }

  async updateMember(session_id: string, member_id: number, change: Partial<Pick<ParticipantRow, 'role' | 'answers'>>): Promise<void> {
    await this.#models.participants.update(change, { where: { session_id, member_id } });
  }

  async updateNotifications(session_id: string, member_id: number, change: Partial<SessionNotifications>): Promise<void> {
    await this.#models.participants.update(change, { where: { session_id, member_id } });
  }

  /** Counts people of a room, and the owners among them. */
  async countPeople(session_id: string): Promise<{ people: number; owners: number }> {
    const { participants } = this.#models;
    const where = { session_id, kind: 'person' as const };
    const [people, owners] = await Promise.all([
      participants.count({ where }),
      participants.count({ where: { ...where, role: 'owner' as const } }),
    ]);
    return { people, owners };
  }

  /** Returns the person who has been in the room for longest. */
  async longestStanding(session_id: string): Promise<number | undefined> {
    const where = { session_id, kind: 'person' as const };
    const query = { attributes: ['member_id'], where, order: ['joined_at', 'member_id'], raw: true };
    return (await this.#models.participants.findOne(query))?.member_id;
  }

  /** Returns the rooms that a member is in. */
  async roomsOf(member_id: number): Promise<string[]> {
    const where = { member_id, target_type: 'room' as const };
    const rows = await this.#models.participants.findAll({ attributes: ['session_id'], where, raw: true });
    return rows.map(({ session_id }) => session_id);
  }

  /** Returns the numbers in the search index of a member's rooms, or of one of them. Benchmark row `search`: each search. */
  async numbersOf(member_id: number, session_id?: string): Promise<number[]> {
    const one = session_id === undefined ? '' : 'AND p.session_id = $2';
    const rows = await this.#db.rows<{ room_no: number }>(
      `SELECT s.room_no FROM chat_participants p JOIN chat_sessions s ON s.id = p.session_id
       WHERE p.member_id = $1 AND p.target_type = 'room' ${one}`,
      [member_id, ...(session_id === undefined ? [] : [session_id])],
    );
    return rows.map(({ room_no }) => Number(room_no));
  }

  /** Returns sessions that a deleted member has left, in which messages of it may be. */
  async formerRoomsOf(member_id: number): Promise<string[]> {
    const rows = await this.#models.former.findAll({ attributes: ['session_id'], where: { member_id }, raw: true });
    return rows.map(({ session_id }) => session_id);
  }

  async forgetFormer(member_id: number): Promise<void> {
    await this.#models.former.destroy({ where: { member_id } });
  }

  /** Returns rooms without people since before a time. */
  async emptiedBefore(time: string, limit: number): Promise<string[]> {
    const where = { emptied_at: { [Op.lt]: time } };
    const rows = await this.#models.sessions.findAll({ attributes: ['id'], where, limit, raw: true });
    return rows.map(({ id }) => id);
  }

  /** Returns a page of the open rooms that a member is not in. Plain SQL: an anti-join of two tables. */
  async listOpen(member_id: number, { query = '', limit, offset }: RoomQuery): Promise<{ items: OpenRoom[]; total: number }> {
    const from = `FROM chat_sessions s WHERE s.visibility = 'open'
      AND NOT EXISTS (SELECT 1 FROM chat_participants p WHERE p.session_id = s.id AND p.member_id = $1)
      AND ${this.#db.dialect === 'postgres' ? 'strpos' : 'instr'}(s.search, $2) > 0`;
    const text = query.toLowerCase();
    const items = await this.#db.rows<OpenRoom>(
      `SELECT s.id, s.title, s.topic, s.member_count, s.created_at, s.last_message_at ${from}
       ORDER BY COALESCE(s.last_message_at, s.created_at) DESC, s.id DESC LIMIT $3 OFFSET $4`,
      [member_id, text, limit, offset],
    );
    const [row] = await this.#db.rows<{ total: number }>(`SELECT count(*) AS total ${from}`, [member_id, text]);
    return { items, total: Number(row?.total ?? 0) };
  }

  /** Stores the mentions of a message. */
  async addMentions(
    message: { id: string; session_id: string; sender_id: number; created_at: string },
    mentions: readonly Mention[],
  ): Promise<void> {
    const { id: message_id, session_id, sender_id, created_at } = message;
    const ids = new Set(mentions.map((mention) => mention.member_id ?? 0));
    await this.#models.mentions.bulkCreate([...ids].map((member_id) => ({ message_id, member_id, session_id, sender_id, created_at })));
  }

  /** Removes the mentions of a message, except those that its new text still has. Adds none. */
  async removeMentions(message_id: string, kept: readonly Mention[] = []): Promise<void> {
    const ids = kept.map((mention) => mention.member_id ?? 0);
    await this.#models.mentions.destroy({ where: { message_id, member_id: { [Op.notIn]: ids } } });
  }

  /** Returns those of the members who want to be notified of a mention now; `all`: of any message. */
  async notified(
    session_id: string,
    { ids, all = false, now }: { ids?: readonly number[]; all?: boolean; now: string },
  ): Promise<number[]> {
    const level: NotificationLevel[] = all ? ['all'] : ['all', 'mentions'];
    const among = ids ? { member_id: [...ids] } : {};
    const unmuted = { [Op.or]: [{ muted_until: null }, { muted_until: { [Op.lte]: now } }] };
    const where = { session_id, kind: 'person' as const, level, ...among, ...unmuted };
    const rows = await this.#models.participants.findAll({ attributes: ['member_id'], where, raw: true });
    return rows.map(({ member_id }) => member_id);
  }

  /** Whether a room has members who are notified of each message. Benchmark row `rooms`: each message, by an index of these alone. */
  async hasListeners(session_id: string): Promise<boolean> {
    const sql = `SELECT 1 AS found FROM chat_participants WHERE session_id = $1 AND target_type = 'room' AND level = 'all' LIMIT 1`;
    return (await this.#db.rows(sql, [session_id])).length > 0;
  }

  /** Returns members whom a message notifies: see `ChatService.listeners`. Plain SQL: a join with the message's position. */
  async listeners(
    { session_id, message_id, sender_id, mentioned, everyone, except = [] }: Notifying,
    { now, among }: { now: string; among: readonly number[] | undefined },
  ): Promise<number[]> {
    const values: SqlValue[] = [session_id, message_id, now];
    const list = (ids: readonly number[]) => ids.map((id) => `$${values.push(id)}`).join();
    // PostgreSQL refuses values that a statement doesn't use.
    const isMentioned = !everyone && mentioned.length > 0 ? `OR (p.level = 'mentions' AND p.member_id IN (${list(mentioned)}))` : '';
    const level = everyone ? "p.level <> 'none'" : `(p.level = 'all' ${isMentioned})`;
    const isAmong = among ? `AND p.member_id IN (${list(among)})` : '';
    const rows = await this.#db.rows<Pick<ParticipantRow, 'member_id'>>(
      `SELECT p.member_id FROM chat_participants p JOIN chat_messages m ON m.id = $2
       WHERE p.session_id = $1 AND p.target_type = 'room' AND p.kind = 'person' AND ${level}
         AND p.member_id NOT IN (${list([sender_id, ...except])}) AND (p.muted_until IS NULL OR p.muted_until <= $3)
         AND (p.read_at < m.created_at OR p.read_count < m.ordinal) ${isAmong} ORDER BY p.member_id`,
      values,
    );
    return rows.map(({ member_id }) => member_id);
  }

  async delete(sessions: readonly string[]): Promise<void> {
    const where = { session_id: [...sessions] };
    await this.#models.mentions.destroy({ where });
    await this.#models.former.destroy({ where });
  }
}

/** Returns the text in which a search for rooms looks. */
function searchOf({ title, topic }: Pick<SessionRow, 'title' | 'topic'>): string {
  return `${title}\n${topic}`.toLowerCase();
}
