import { fail as failCore } from '../../../kernel/contract/index.js';
import type { Member, MembersService } from '../../members/contract.js';
import { fail, invalidInput } from '../codes.js';
import type {
  Asker,
  Invited,
  MemberUpdate,
  NewSession,
  NotificationsUpdate,
  RoomAudience,
  RoomPage,
  RoomQuery,
  Session,
  SessionNotifications,
  SessionUpdate,
  Task,
} from '../contract.js';
import type { Ports } from '../ports.js';
import type { StopReason } from '../replies/execution.js';
import { notThere } from '../replies/readers.js';
import type { Stopper } from '../replies/stopper.js';
import type { NewParticipant, RoomRow } from '../store/rooms-sql.js';
import { startOf } from '../text.js';
import { kindsOf } from './participant-kinds.js';

interface RoomsParts {
  ports: Ports;
  members: MembersService;
  stopper: Stopper;
}

/** Limit of a room's members, and of the plugins among them. */
const max_members = 5_000;
const max_plugins = 10;
const max_attempts = 5;
const max_title_length = 200;
/** People per event. */
const max_invited = 500;
/** Time after which a room without people is removed. */
export const emptied_ms = 30 * 24 * 3_600_000;

type NewRoom = Pick<NewSession, 'title' | 'member_ids' | 'visibility'>;

/** Rooms: sessions of several people and AI employees, and who is in them. */
export class Rooms {
  readonly #parts: RoomsParts;

  constructor(parts: RoomsParts) {
    this.#parts = parts;
  }

  /**
   * Opens a room that the caller owns; without a title it is called by the names of its members. Fails with `invalid_input` for an unknown
   * member, and with `session_full`.
   */
  async create({ title: given, member_ids = [], visibility = 'private' }: NewRoom, asker: Asker): Promise<Session> {
    const { db, rooms, sessions, clock, newId } = this.#parts.ports;
    return db.transaction(async () => {
      const found = await this.#toParticipants([...new Set([asker.member_id, ...member_ids])]);
      const members = found.map((one) => (one.member_id === asker.member_id ? { ...one, role: 'owner' as const } : one));
      if (members.some(({ role, kind }) => role === 'owner' && kind !== 'person')) throw failCore('forbidden', 'Only people open rooms');
      assertCapacity(0, members.length);
      assertPlugins(members.filter(({ kind }) => kind === 'plugin').length);
      const id = newId();
      const title = given || (await this.#titleOf(members));
      await rooms.create({ id, title, visibility, created_by: asker.member_id, now: clock.iso() });
      await rooms.add(id, members, clock.iso());
      await this.#invite({ session_id: id, title }, members, asker);
      await this.#announce(id);
      return (await sessions.get(id, asker.member_id)) as Session;
    });
  }

  /** Lists open rooms that the caller is not in. */
  list(query: RoomQuery, { member_id }: Asker): Promise<RoomPage> {
    return this.#parts.ports.rooms.listOpen(member_id, query);
  }

  /** Changes title, topic or visibility. Owners only. Fails with `session_not_found`, `forbidden`, or `invalid_input` if it is no room. */
  async update({ session_id, ...change }: SessionUpdate, asker: Asker): Promise<Session> {
    const { rooms, sessions, clock } = this.#parts.ports;
    return this.#widening(session_id, async () => {
      const room = await this.#owned(session_id, asker);
      if (change.visibility === 'open' && room.visibility !== 'open') await this.#assertNoPrivateTasks(session_id);
      if (Object.keys(change).length > 0) await rooms.update(room, change, clock.iso());
      await this.#announce(session_id);
      return (await sessions.get(session_id, asker.member_id)) as Session;
    });
  }

  /** Joins an open room; no effect for a member of it. Fails with `session_not_found`, also for a private room, or `session_full`. */
  async join(session_id: string, asker: Asker): Promise<Session> {
    const { db, rooms, sessions, clock } = this.#parts.ports;
    return db.transaction(async () => {
      const known = await sessions.get(session_id, asker.member_id);
      if (known) return known;
      const room = await rooms.lock(session_id);
      if (room?.visibility !== 'open') throw notThere(session_id);
      const [member] = await this.#toParticipants([asker.member_id]);
      if (member?.kind !== 'person') throw notThere(session_id);
      assertCapacity(room.member_count, 1);
      const { owners } = await rooms.countPeople(session_id);
      await rooms.add(session_id, [{ ...member, role: owners === 0 ? 'owner' : 'member' }], clock.iso());
      await rooms.setEmptied(session_id, null);
      await this.#announce(session_id);
      return (await sessions.get(session_id, asker.member_id)) as Session;
    });
  }

  /** Adds members. Owners only. Returns the ids of those who were not in the room. Fails as {@link create}, and with `forbidden`. */
  async add(session_id: string, member_ids: readonly number[], asker: Asker): Promise<number[]> {
    const { rooms, clock } = this.#parts.ports;
    return this.#widening(session_id, async () => {
      const room = await this.#owned(session_id, asker);
      const present = new Set((await rooms.among(session_id, member_ids)).map(({ member_id }) => member_id));
      const members = await this.#toParticipants([...new Set(member_ids)].filter((id) => !present.has(id)));
      if (members.length === 0) return [];
      assertCapacity(room.member_count, members.length);
      const plugins = members.filter(({ kind }) => kind === 'plugin').length;
      if (plugins > 0) assertPlugins(plugins + (await this.#countPlugins(session_id)));
      if (members.some(({ kind }) => kind !== 'ai')) await this.#assertNoPrivateTasks(session_id);
      const added = await rooms.add(session_id, members, clock.iso());
      await this.#invite({ session_id, title: room.title }, members, asker);
      await this.#announce(session_id);
      return added;
    });
  }

  /** Changes a member's role, or when an AI employee answers. Owners only. Fails with `session_member_not_found` and `last_owner`. */
  async updateMember({ session_id, member_id, role, answers }: MemberUpdate, asker: Asker): Promise<void> {
    const { db, rooms } = this.#parts.ports;
    await db.transaction(async () => {
      await this.#owned(session_id, asker);
      const [member] = await rooms.among(session_id, [member_id]);
      if (!member) throw notAMember(session_id, member_id);
      if (role === 'owner' && member.kind !== 'person') throw invalidInput('role', 'Only a person can own a room');
      if (answers && member.kind !== 'ai') throw invalidInput('answers', `Member ${member_id} is not an AI employee`);
      if (role === 'member' && member.role === 'owner') await this.#assertNotLast(session_id, { others: 0 });
      await rooms.updateMember(session_id, member_id, { ...(role && { role }), ...(answers && { answers }) });
    });
  }

  /**
   * Removes a member; oneself, or as an owner anybody. The member's tasks in the room have stopped when it returns. Fails with
   * `session_member_not_found`, `forbidden` and `last_owner`.
   */
  async remove(session_id: string, member_id: number, asker: Asker): Promise<void> {
    const { db, rooms } = this.#parts.ports;
    const open = await db.transaction(async () => {
      if (member_id !== asker.member_id) await this.#owned(session_id, asker);
      else if (!(await rooms.lock(session_id))) throw notThere(session_id);
      const [member] = await rooms.among(session_id, [member_id]);
      if (!member) throw notAMember(session_id, member_id);
      if (member.role === 'owner') await this.#assertNotLast(session_id, { others: 1 });
      return this.#removeMembers(session_id, [member_id]);
    });
    await this.#stopTasks(open, 'left_room');
  }

  /** Takes a member out of all rooms, within the current transaction. The longest-standing person takes over a room without an owner. */
  async depart(member_id: number, reason: Extract<StopReason, 'member_deleted' | 'member_inactive'>): Promise<void> {
    const { db, rooms, track } = this.#parts.ports;
    for (const session_id of (await rooms.roomsOf(member_id)).sort()) {
      if (!(await rooms.lock(session_id))) continue;
      const open = await this.#removeMembers(session_id, [member_id]);
      db.afterCommit(() => track(this.#stopTasks(open, reason)));
      const { people, owners } = await rooms.countPeople(session_id);
      const heir = people > 0 && owners === 0 ? await rooms.longestStanding(session_id) : undefined;
      if (heir !== undefined) await rooms.updateMember(session_id, heir, { role: 'owner' });
    }
  }

  /** Stops tasks that have read what a person may no longer see who is about to lose the role of administrator. */
  async demote(member_id: number): Promise<void> {
    const { rooms, tasks } = this.#parts.ports;
    for (const session_id of await rooms.roomsOf(member_id))
      await this.#parts.stopper.stopAll(await tasks.privateIn(session_id), 'room_widened');
  }

  /** Changes the caller's own notifications of a session, also of a conversation of two. Fails with `session_not_found`. */
  async updateNotifications({ session_id, ...change }: NotificationsUpdate, { member_id }: Asker): Promise<SessionNotifications> {
    const { rooms, sessions } = this.#parts.ports;
    if (!(await sessions.get(session_id, member_id))) throw notThere(session_id);
    if (Object.keys(change).length > 0) await rooms.updateNotifications(session_id, member_id, change);
    const session = await sessions.get(session_id, member_id);
    if (!session) throw notThere(session_id);
    return session.notifications;
  }

  audience(session_id: string): Promise<RoomAudience | undefined> {
    return this.#parts.ports.rights.audience(session_id);
  }

  /** Fails unless the caller owns the room, which it locks. */
  async #owned(session_id: string, { member_id }: Asker): Promise<RoomRow> {
    const { rooms, sessions } = this.#parts.ports;
    const session = await sessions.get(session_id, member_id);
    if (!session) throw notThere(session_id);
    if (session.target_type !== 'room') throw invalidInput('session_id', `Session ${session_id} is a conversation of two, not a room`);
    const room = await rooms.lock(session_id);
    const [member] = await rooms.among(session_id, [member_id]);
    if (!room || !member) throw notThere(session_id);
    if (member.role !== 'owner') throw failCore('forbidden', 'Only an owner of the room can do this');
    return room;
  }

  /** Removes members from a locked room; their streams end. Returns their tasks, which are to be stopped after the transaction. */
  async #removeMembers(session_id: string, member_ids: readonly number[]): Promise<Task[]> {
    const { db, rooms, followers, readers, typing, tasks, frames, clock, emit } = this.#parts.ports;
    const removed = await rooms.remove(session_id, member_ids);
    if (removed.length === 0) return [];
    const ids = removed.map(({ member_id }) => member_id);
    const { people } = await rooms.countPeople(session_id);
    if (people === 0) await rooms.setEmptied(session_id, clock.iso());
    await followers.leave(session_id, ids);
    await emit('chat.session_left', { session_id, member_ids: ids });
    const open = await tasks.openIn(session_id, ids);
    frames.left(ids, session_id);
    await this.#announce(session_id);
    db.afterCommit(() => {
      for (const member_id of ids) {
        readers.dismiss({ session_id, member_id });
        typing.stop({ session_id, member_id });
      }
    });
    return open;
  }

  /** Stops tasks of members who have left; waiting ones first, because otherwise each stop would start the next one. Never fails. */
  async #stopTasks(open: readonly Task[], reason: Exclude<StopReason, 'lost'>): Promise<void> {
    const { stopper, ports } = this.#parts;
    const [waiting, running] = [open.filter(({ status }) => status === 'queued'), open.filter(({ status }) => status !== 'queued')];
    const stopped = stopper
      .stopAll(waiting.reverse(), reason)
      .then(() => Promise.all(running.map((task) => stopper.stopAll([task], reason))));
    await stopped.catch((err: unknown) => ports.log.warn('Could not stop the tasks of members who left a room', { err }));
  }

  /**
   * Runs a transaction that may let more members read a room. Tasks that have read what these must not learn stop before it: not within it,
   * because their last events are written in transactions of their own. Retries if one has begun to read meanwhile.
   */
  async #widening<Result>(session_id: string, work: () => Promise<Result>): Promise<Result> {
    const { db, tasks } = this.#parts.ports;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await db.transaction(work);
      } catch (fault) {
        if (!(fault instanceof PrivateTasks) || attempt === max_attempts) throw fault;
        await this.#parts.stopper.stopAll(await tasks.privateIn(session_id), 'room_widened');
      }
    }
  }

  /** Fails if a task of a locked room has read what new members must not learn. */
  async #assertNoPrivateTasks(session_id: string): Promise<void> {
    const [task] = await this.#parts.ports.tasks.privateIn(session_id);
    if (task) throw new PrivateTasks(`Task ${task.id} has read data that only the present members of the room may see`);
  }

  async #countPlugins(session_id: string): Promise<number> {
    return (await this.#parts.ports.sessions.members(session_id)).filter(({ kind }) => kind === 'plugin').length;
  }

  /** Fails if a room would be without an owner while at least so many people other than the owner are there. */
  async #assertNotLast(session_id: string, { others }: { others: number }): Promise<void> {
    const { people, owners } = await this.#parts.ports.rooms.countPeople(session_id);
    if (owners > 1 || people - 1 < others) return;
    throw fail('last_owner', 'You are the last owner of this room: make somebody else an owner first');
  }

  /** Reports people whom another member has added. */
  async #invite(
    room: Pick<Invited, 'session_id' | 'title'>,
    added: readonly NewParticipant[],
    { member_id: invited_by }: Asker,
  ): Promise<void> {
    const ids = added.filter(({ member_id, kind }) => kind === 'person' && member_id !== invited_by).map(({ member_id }) => member_id);
    if (ids.length === 0) return;
    const name = (await this.#parts.members.require(invited_by)).nickname;
    for (let start = 0; start < ids.length; start += max_invited) {
      const member_ids = ids.slice(start, start + max_invited);
      await this.#parts.ports.emit('chat.invited', { ...room, member_ids, invited_by, name });
    }
  }

  /** Sends the room's record to its members. */
  async #announce(session_id: string): Promise<void> {
    const { membership, frames, rooms } = this.#parts.ports;
    const [{ ids }, room] = [await membership.of(session_id), await rooms.record(session_id)];
    if (room) frames.session(ids, room);
  }

  async #titleOf(members: readonly NewParticipant[]): Promise<string> {
    const ids = members.slice(0, max_title_length).map(({ member_id }) => member_id);
    const names = (await this.#parts.members.byIds(ids)).map(({ nickname }) => nickname);
    return startOf(names.join(', '), max_title_length);
  }

  async #toParticipants(member_ids: readonly number[]): Promise<NewParticipant[]> {
    const { members } = this.#parts;
    const found = await members.byIds(member_ids);
    const known = new Map(found.map((member) => [member.id, member]));
    for (const id of member_ids) assertActive(id, known.get(id));
    return [...(await kindsOf(members, found))].map(([member_id, kind]) => ({ member_id, kind, role: 'member' }));
  }
}

/** Signals that tasks must stop before a room becomes wider. */
class PrivateTasks extends Error {}

function assertActive(id: number, member: Member | undefined): void {
  if (!member) throw invalidInput('member_ids', `There is no member ${id}`);
  if (!member.active) throw invalidInput('member_ids', `Member ${id} is not active`);
}

function assertCapacity(present: number, more: number): void {
  if (present + more > max_members) throw fail('session_full', `A room has at most ${max_members} members`);
}

function assertPlugins(count: number): void {
  if (count > max_plugins) throw fail('session_full', `A room has at most ${max_plugins} plugins`);
}

/** Returns the failure for somebody who is not in a session. */
export function notAMember(session_id: string, member_id: number): Error {
  return fail('session_member_not_found', `Member ${member_id} is not in session ${session_id}`);
}
