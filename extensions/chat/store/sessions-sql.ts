import { LRUCache } from 'lru-cache';
import type { WhereOptions } from 'sequelize';
import { type Database, Op, placeholders, type Query, type SqlValue, tuple } from '../../../kernel/contract/index.js';
import type { Session } from '../contract.js';
import type { Models, ParticipantRow, SessionRow } from '../models.js';
import { type PairRecordRow, pairColumns, pairToSession, type SessionRecordRow, sessionColumns, toSession } from './session-record-sql.js';

const joined = 'chat_participants p JOIN chat_sessions s ON s.id = p.session_id';
const newest = 'activity_at DESC, session_id DESC';
/** Pages of member $1's sessions that are no rooms, in the order of an index. */
const pageOfPairs = (columns: string, where = '') => `SELECT ${columns} FROM ${joined} WHERE p.member_id = $1 AND p.hidden = 0 ${where}
  ORDER BY p.activity_at DESC, p.session_id DESC LIMIT $2 OFFSET $3`;
const inRooms = "(SELECT 1 FROM chat_participants r WHERE r.member_id = $1 AND r.target_type = 'room' LIMIT 1) AS in_rooms";
/** Sessions by their last activity: a room's is stored once, in the session. */
const pairs = `SELECT * FROM (SELECT session_id, activity_at FROM chat_participants WHERE member_id = $1 AND hidden = 0 AND target_type <> 'room'
  ORDER BY ${newest} LIMIT CAST($2 AS INTEGER) + CAST($3 AS INTEGER)) AS pairs`;
const rooms = `SELECT r.session_id, CASE WHEN s.last_message_at > r.joined_at THEN s.last_message_at ELSE r.joined_at END AS activity_at
  FROM chat_participants r JOIN chat_sessions s ON s.id = r.session_id WHERE r.member_id = $1 AND r.target_type = 'room'`;
/** CROSS JOIN, because SQLite might otherwise begin with all sessions of the member. */
const pageOf = (source: string) => `SELECT ${sessionColumns}
  FROM (SELECT * FROM (${source}) AS u ORDER BY ${newest} LIMIT $2 OFFSET $3) AS o CROSS JOIN chat_participants p CROSS JOIN chat_sessions s
  WHERE p.session_id = o.session_id AND p.member_id = $1 AND s.id = o.session_id ORDER BY o.activity_at DESC, o.session_id DESC`;

/** Members whose pages are known to have rooms. */
const max_known = 10_000;

/** Condition: a new message is the last one of its session. */
const isLast = '(last_message_at IS NULL OR last_message_at <= v.column2)';
const activeTask = (session_id: string) =>
  `active_task_id = (SELECT t.id FROM chat_tasks t WHERE t.session_id = ${session_id}
    AND t.status IN ('queued', 'running', 'waiting_approval') ORDER BY t.created_at LIMIT 1)`;

/** Sessions per statement. */
const portion = 500;

const takeTime = 'UPDATE chat_sessions SET last_ms = CASE WHEN last_ms >= $1 THEN last_ms + 1 ELSE $1 END';

/**
 * Orders the conversations of one pair: the one with the latest message first, empty ones last and newest first. `p` is a participant,
 * `s` its session.
 */
export const latestMessageFirst = 'CASE WHEN s.last_message_at IS NULL THEN 1 ELSE 0 END, p.activity_at DESC, p.session_id DESC';

export interface NewSession extends Pick<SessionRow, 'id' | 'title' | 'target_type' | 'created_by'>, Pick<ParticipantRow, 'target_id'> {
  now: string;
  /** The other person, if the target is one. That person's target is the creator. */
  partner: number | undefined;
}

/** Unread count of a member in a session. */
export type UnreadCount = Pick<ParticipantRow, 'member_id' | 'unread_count'>;

/** A member of a session. */
export type Participant = Pick<ParticipantRow, 'member_id' | 'is_guest' | 'kind' | 'role' | 'answers'>;

export type Participation = Pick<ParticipantRow, 'session_id' | 'member_id'>;

/** A message that becomes the last one of its session. */
export interface Arrived {
  session_id: string;
  preview: string;
  created_at: string;
  sender_id: number;
  /** Set for a message in a room. */
  in_room?: { message_id: string; in_thread: boolean } | undefined;
}

/** Access to tables `chat_sessions` and `chat_participants`. Members see only their own sessions. */
export class Sessions {
  readonly #db: Database;
  readonly #sessions: Models['sessions'];
  readonly #participants: Models['participants'];
  readonly #page: Query<PairRecordRow & { in_rooms?: number | null }>;
  readonly #pageOfType: Query<PairRecordRow>;
  readonly #pageOfRooms: Query<SessionRecordRow>;
  readonly #mixedPage: Query<SessionRecordRow>;
  readonly #inRooms = new LRUCache<number, true>({ max: max_known });

  constructor(db: Database, { sessions, participants }: Pick<Models, 'sessions' | 'participants'>) {
    this.#db = db;
    this.#sessions = sessions;
    this.#participants = participants;
    // Benchmark row `requests`: a page of the list of a member without rooms.
    this.#page = db.prepare(pageOfPairs(`${pairColumns}, ${inRooms}`));
    // Hot: the same page, of one kind of partner.
    this.#pageOfType = db.prepare(pageOfPairs(pairColumns, 'AND p.target_type = $4'));
    // Benchmark row `rooms`: a page with rooms.
    this.#pageOfRooms = db.prepare(pageOf(rooms));
    this.#mixedPage = db.prepare(pageOf(`${pairs} UNION ALL ${rooms}`));
  }

  async list(member_id: number, page: { target_type?: string; limit: number; offset: number }): Promise<Session[]> {
    const { target_type, limit, offset } = page;
    if (target_type === 'room') return (await this.#pageOfRooms.all(member_id, limit, offset)).map(toSession);
    if (target_type !== undefined) return (await this.#pageOfType.all(member_id, limit, offset, target_type)).map(pairToSession);
    if (!this.#inRooms.has(member_id)) {
      const found = await this.#page.all(member_id, limit, offset);
      const isInRooms = Boolean(found[0]?.in_rooms);
      for (const row of found) delete row.in_rooms;
      if (!isInRooms) return found.map(pairToSession);
      this.#inRooms.set(member_id, true);
    }
    return (await this.#mixedPage.all(member_id, limit, offset)).map(toSession);
  }

  /** Reads a session that the member sees. Benchmark row `sends`: runs for each message, stream and read mark. */
  async get(id: string, member_id: number): Promise<Session | undefined> {
    const [row] = await this.#db.rows<SessionRecordRow>(
      `SELECT ${sessionColumns} FROM ${joined} WHERE p.session_id = $1 AND p.member_id = $2 AND p.hidden = 0`,
      [id, member_id],
    );
    return row && toSession(row);
  }

  /** Returns all members, including those for whom the session is hidden. */
  async participants(id: string): Promise<number[]> {
    return (await this.participantsOf([id])).map(({ member_id }) => member_id);
  }

  /** Returns the members of several sessions. */
  participantsOf(ids: readonly string[]): Promise<Participation[]> {
    return this.#participants.findAll({ attributes: ['session_id', 'member_id'], where: { session_id: [...ids] }, raw: true });
  }

  /** Returns those of the sessions that a member sees. */
  async among(ids: readonly string[], member_id: number): Promise<string[]> {
    return ids.length === 0 ? [] : this.#idsOf({ session_id: [...ids], member_id, hidden: 0 });
  }

  /** Returns the members, guests last. */
  members(id: string): Promise<Participant[]> {
    const attributes = ['member_id', 'is_guest', 'kind', 'role', 'answers'];
    const query = { attributes, where: { session_id: id }, order: ['is_guest', 'member_id'], raw: true };
    return this.#participants.findAll(query) as Promise<Participant[]>;
  }

  /**
   * Locks sessions until the current transaction ends; later reads see what others committed before. Benchmark row `sends`: runs at the
   * end of each task.
   */
  async lock(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#db.rows(`SELECT id FROM chat_sessions WHERE id IN (${placeholders(ids)}) ORDER BY id FOR UPDATE`, ids);
  }

  async isGuest(session_id: string, member_id: number): Promise<boolean> {
    return (await this.#participants.count({ where: { session_id, member_id, is_guest: 1 } })) > 0;
  }

  /** Adds a plugin's own member. It sees the same partner as the member who adds it. */
  async addGuest(session_id: string, { member_id, host_id, now }: { member_id: number; host_id: number; now: string }): Promise<void> {
    const host = await this.#participants.findOne({ where: { session_id, member_id: host_id }, raw: true });
    if (!host) return;
    const { target_type, target_id } = host;
    await this.#participants.create({
      session_id,
      member_id,
      target_type,
      target_id,
      unread_count: 0,
      hidden: 0,
      activity_at: now,
      is_guest: 1,
      kind: 'plugin',
      joined_at: now,
    });
    await this.#countMembers(session_id, 1);
  }

  /** Removes a guest; false if the member is not one. */
  async removeGuest(session_id: string, member_id: number): Promise<boolean> {
    const removed = (await this.#participants.destroy({ where: { session_id, member_id, is_guest: 1 } })) > 0;
    if (removed) await this.#countMembers(session_id, -1);
    return removed;
  }

  async #countMembers(id: string, by: number): Promise<void> {
    await this.#sessions.increment({ member_count: by }, { where: { id } });
  }

  /** Creates a session; returns it as its creator sees it. Benchmark row `instances`: each new session. */
  async create({ id, title, target_type, created_by, now, target_id, partner }: NewSession): Promise<Session> {
    const member_count = target_type === '' ? 1 : 2;
    await this.#db.run(
      `INSERT INTO chat_sessions (id, title, target_type, created_by, created_at, updated_at, last_message_preview, last_ms, member_count)
       VALUES ($1, $2, $3, $4, $5, $5, '', 0, $6)`,
      [id, title, target_type, created_by, now, member_count],
      { often: true },
    );
    const participants = [[created_by, target_id] as const, ...(partner === undefined ? [] : [[partner, String(created_by)] as const])];
    for (const [member_id, target] of participants) {
      await this.#db.run(
        `INSERT INTO chat_participants (session_id, member_id, target_type, target_id, unread_count, hidden, activity_at)
         VALUES ($1, $2, $3, $4, 0, 0, $5)`,
        [id, member_id, target_type, target, now],
        { often: true },
      );
    }
    return {
      id,
      title,
      target_type,
      target_id,
      created_by,
      created_at: now,
      updated_at: now,
      last_message_at: null,
      last_message_preview: '',
      unread_count: 0,
      active_task_id: null,
      active_task_ids: [],
      visibility: 'private',
      topic: '',
      member_count,
      mention_count: 0,
      role: 'member',
      notifications: { level: 'mentions', muted_until: null },
    };
  }

  /**
   * Takes the time of the session's next message: now, or a millisecond after the last one. Locks the session until the transaction ends,
   * so that instances take turns. Undefined if the session is gone.
   */
  async nextTime(id: string, now_ms: number): Promise<string | undefined> {
    return (await this.nextTimes([id], now_ms)).get(id);
  }

  /**
   * Takes the next times of several sessions, by their ids. Only one at a time on PostgreSQL, which would lock several in no order: a
   * deadlock. A lock, RETURNING, and benchmark row `sends`: runs for each reply.
   */
  async nextTimes(ids: readonly string[], now_ms: number): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#db.rows<Pick<SessionRow, 'id' | 'last_ms'>>(
      `${takeTime} WHERE id IN (${placeholders(ids, 2)}) RETURNING id, last_ms`,
      [now_ms, ...ids],
    );
    return new Map(rows.map((row) => [row.id, timeOf(row)]));
  }

  /**
   * Takes the time of a member's next message, and reads the member's unread count. Undefined also if the session is hidden for the member
   * or the member doesn't take part. Two locks, RETURNING, and benchmark row `sends`: runs for each message.
   */
  async nextTurn(member_id: number, id: string, now_ms: number): Promise<{ created_at: string; unread_count: number } | undefined> {
    // FOR UPDATE reads the count as others leave it, instead of as it was before this statement waited for them.
    const unread = 'SELECT unread_count FROM chat_participants WHERE session_id = $2 AND member_id = $3 AND hidden = 0 FOR UPDATE';
    const [row] = await this.#db.rows<Pick<SessionRow, 'last_ms'> & { unread_count: number | null }>(
      `${takeTime} WHERE id = $2 RETURNING last_ms, (${unread}) AS unread_count`,
      [now_ms, id, member_id],
    );
    return row && row.unread_count !== null ? { created_at: timeOf(row), unread_count: row.unread_count } : undefined;
  }

  /**
   * Stores messages of different sessions as their last ones, unless a later one is stored, and the first open task of each session as its
   * active one; lock the sessions first. Counts the messages as unread for all but their senders. Returns the counts by session, none for
   * rooms. Benchmark row `sends`: runs for each message and each reply.
   */
  async arrived(messages: readonly Arrived[], now: string): Promise<ReadonlyMap<string, UnreadCount[]>> {
    const values: SqlValue[] = [now];
    const rows = messages.map(({ session_id, created_at, preview, in_room }) =>
      tuple(values, [session_id, created_at, preview, in_room?.in_thread === false ? 1 : 0]),
    );
    const ifLast = (value: string, column: string) => `${column} = CASE WHEN ${isLast} THEN ${value} ELSE ${column} END`;
    await this.#db.run(
      `UPDATE chat_sessions SET ${ifLast('$1', 'updated_at')}, ${ifLast('v.column2', 'last_message_at')},
         ${ifLast('v.column3', 'last_message_preview')}, message_count = message_count + CAST(v.column4 AS INTEGER),
         ${activeTask('v.column1')}
       FROM (VALUES ${rows.join()}) AS v WHERE chat_sessions.id = v.column1`,
      values,
    );
    const counts = new Map<string, UnreadCount[]>(messages.map(({ session_id }) => [session_id, []]));
    const inPairs = messages.filter(({ in_room }) => !in_room);
    if (inPairs.length > 0) for (const { session_id, ...count } of await this.#count(inPairs, now)) counts.get(session_id)?.push(count);
    for (const message of messages) if (message.in_room) await this.#countInRoom(message, message.in_room);
    return counts;
  }

  /** Counts messages as unread. RETURNING, and benchmark row `sends`: runs for each message and each reply. */
  #count(messages: readonly Arrived[], now: string): Promise<(UnreadCount & Participation)[]> {
    const values: SqlValue[] = [now];
    const rows = messages.map(({ session_id, sender_id }) => tuple(values, [session_id, sender_id]));
    return this.#db.rows(
      `UPDATE chat_participants SET hidden = 0, activity_at = $1,
         unread_count = CASE WHEN member_id = CAST(v.column2 AS INTEGER) THEN 0 ELSE unread_count + 1 END
       FROM (VALUES ${rows.join()}) AS v WHERE chat_participants.session_id = v.column1 RETURNING session_id, member_id, unread_count`,
      values,
    );
  }

  /**
   * Gives a message in a room its number, and moves the sender's read position to it unless it is in a thread. Two rows, whatever the number
   * of members. Benchmark row `rooms`.
   */
  async #countInRoom(
    { session_id, sender_id, created_at }: Arrived,
    { message_id, in_thread }: { message_id: string; in_thread: boolean },
  ): Promise<void> {
    const count = '(SELECT message_count FROM chat_sessions WHERE id = $1)';
    await this.#db.run(`UPDATE chat_messages SET ordinal = ${count} WHERE id = $2`, [session_id, message_id]);
    if (in_thread) return;
    await this.#db.run(
      `UPDATE chat_participants SET read_count = ${count}, read_at = $3
       WHERE session_id = $1 AND member_id = $2 AND kind = 'person'`,
      [session_id, sender_id, created_at],
    );
  }

  /** Stores the first of the session's open tasks as its active one; lock the session first. Benchmark row `sends`: runs for each task. */
  async showActiveTask(id: string): Promise<void> {
    await this.#db.run(`UPDATE chat_sessions SET ${activeTask('$1')} WHERE id = $1`, [id]);
  }

  /** Finds the session with a partner that was active last, preferring visible ones. Hot: each message to a person without a session. */
  async latestWith(member_id: number, { target_type, target_id }: Pick<Session, 'target_type' | 'target_id'>): Promise<string | undefined> {
    const [row] = await this.#db.rows<Pick<ParticipantRow, 'session_id'>>(
      `SELECT p.session_id FROM ${joined}
       WHERE p.member_id = $1 AND p.target_type = $2 AND p.target_id = $3 AND p.is_guest = 0
       ORDER BY p.hidden, ${latestMessageFirst} LIMIT 1`,
      [member_id, target_type, target_id],
    );
    return row?.session_id;
  }

  async unhide(session_id: string, member_id: number): Promise<void> {
    await this.#participants.update({ hidden: 0 }, { where: { session_id, member_id, hidden: 1 } });
  }

  async hide(session_id: string, member_id: number): Promise<void> {
    await this.#participants.update({ hidden: 1, unread_count: 0 }, { where: { session_id, member_id } });
  }

  /**
   * Returns the sessions to delete with a member: its own, except those that it shares with others than guests, and those with it as AI
   * employee.
   */
  async soleSessionsOf(member_id: number): Promise<string[]> {
    const own = await this.#idsOf({ member_id, is_guest: 0, target_type: { [Op.ne]: 'room' } });
    const sole = new Set(own);
    for (let start = 0; start < own.length; start += portion) {
      const some = own.slice(start, start + portion);
      for (const id of await this.#idsOf({ session_id: some, member_id: { [Op.ne]: member_id }, is_guest: 0 })) sole.delete(id);
    }
    for (const id of await this.#idsOf({ target_type: 'ai', target_id: String(member_id) })) sole.add(id);
    return [...sole];
  }

  async #idsOf(where: WhereOptions<ParticipantRow>): Promise<string[]> {
    return (await this.#participants.findAll({ attributes: ['session_id'], where, raw: true })).map(({ session_id }) => session_id);
  }

  async leaveAll(member_id: number): Promise<void> {
    await this.#participants.destroy({ where: { member_id } });
  }

  async delete(ids: readonly string[]): Promise<void> {
    await this.#participants.destroy({ where: { session_id: [...ids] } });
    await this.#sessions.destroy({ where: { id: [...ids] } });
  }
}

function timeOf({ last_ms }: Pick<SessionRow, 'last_ms'>): string {
  return new Date(last_ms).toISOString();
}
