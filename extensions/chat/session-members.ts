import type { MembersService } from '../members/contract.js';
import { fail, invalidInput } from './codes.js';
import type { AddedMembers, Asker, MemberUpdate, NewMembers, Session, SessionMember } from './contract.js';
import type { Ports } from './ports.js';
import { notThere } from './replies/readers.js';
import { kindsOf } from './rooms/participant-kinds.js';
import { notAMember, type Rooms } from './rooms/rooms.js';
import type { Participant } from './store/sessions-sql.js';

const max_guests = 10;

interface SessionMembersParts {
  ports: Ports;
  members: MembersService;
  rooms: Rooms;
}

/** Result of adding members, and whether that opened a room. */
interface Added {
  answer: AddedMembers;
  opened: boolean;
}

/** Members of a session: in a conversation of two those who opened it and plugins that were added, in a room all of its members. */
export class SessionMembers {
  readonly #ports: Ports;
  readonly #members: MembersService;
  readonly #rooms: Rooms;

  constructor({ ports, members, rooms }: SessionMembersParts) {
    this.#ports = ports;
    this.#members = members;
    this.#rooms = rooms;
  }

  /** Lists the members. Fails with `session_not_found`. */
  async list(session_id: string, asker: Asker): Promise<SessionMember[]> {
    await this.#session(session_id, asker);
    return this.#toRecords(await this.#ports.sessions.members(session_id));
  }

  /**
   * Adds members to a room, or a plugin's own member to a conversation of two. To add a person or an AI employee to the latter opens a room
   * of them all, in which nothing earlier can be read. Fails as {@link Rooms.add} does, and with `session_full`.
   */
  async add({ session_id, member_id, member_ids }: NewMembers, asker: Asker): Promise<Added> {
    const session = await this.#session(session_id, asker);
    const ids = [...(member_ids ?? []), ...(member_id === undefined ? [] : [member_id])];
    if (ids.length === 0) throw invalidInput('member_id', "'member_id' or 'member_ids' is required");
    if (session.target_type === 'room') await this.#rooms.add(session_id, ids, asker);
    else {
      const people = await this.#withoutPlugins(ids);
      if (people.length > 0) await this.#assertHost(session_id, asker);
      if (people.length > 0) return { answer: await this.#openRoom(session, ids, asker), opened: true };
      for (const id of ids) await this.#addPlugin(session_id, id, asker);
    }
    const wanted = new Set(ids);
    const records = await this.#toRecords((await this.#ports.sessions.members(session_id)).filter((one) => wanted.has(one.member_id)));
    if (member_ids) return { answer: records, opened: false };
    return { answer: records[0] as SessionMember, opened: false };
  }

  /** Changes a member of a room. Fails as {@link Rooms.updateMember} does. */
  async update(change: MemberUpdate, asker: Asker): Promise<SessionMember> {
    await this.#rooms.updateMember(change, asker);
    const members = await this.list(change.session_id, asker);
    const member = members.find(({ member_id }) => member_id === change.member_id);
    if (!member) throw notAMember(change.session_id, change.member_id);
    return member;
  }

  /** Opens a room of both members of a conversation and others. */
  async #openRoom(session: Session, others: readonly number[], asker: Asker): Promise<Session> {
    const present = (await this.#ports.sessions.members(session.id)).map(({ member_id }) => member_id);
    const partner = session.target_type === 'ai' && session.target_id !== '' ? [Number(session.target_id)] : [];
    const member_ids = [...new Set([...present, ...partner, ...others])];
    return this.#rooms.create({ title: '', member_ids }, asker);
  }

  /** Returns those of the members who are people or AI employees. Fails with `invalid_input` for an unknown one. */
  async #withoutPlugins(ids: readonly number[]): Promise<number[]> {
    const found = await this.#members.byIds(ids);
    const unknown = ids.find((id) => found.every((member) => member.id !== id));
    if (unknown !== undefined) throw invalidInput('member_id', `There is no member ${unknown}`);
    return [...(await kindsOf(this.#members, found))].filter(([, kind]) => kind !== 'plugin').map(([id]) => id);
  }

  async #toRecords(rows: readonly Participant[]): Promise<SessionMember[]> {
    const known = new Map((await this.#members.byIds(rows.map(({ member_id }) => member_id))).map((member) => [member.id, member]));
    return rows.map(({ member_id, is_guest, kind, role, answers }) => {
      const { username = '', nickname = '', is_virtual = false } = known.get(member_id) ?? {};
      return { member_id, username, nickname, is_guest: is_guest === 1, is_virtual, role, answers: kind === 'ai' ? answers : null };
    });
  }

  /**
   * Adds a plugin's own member, which may then read and write in the session. No effect if it is a member already. Fails with
   * `session_not_found`, `session_full`, or with `invalid_input` for any other member.
   */
  async #addPlugin(session_id: string, member_id: number, asker: Asker): Promise<void> {
    const { db, sessions, clock } = this.#ports;
    await db.transaction(async () => {
      await this.#assertHost(session_id, asker);
      // Serialises concurrent additions.
      await sessions.lock([session_id]);
      const present = await sessions.members(session_id);
      const guests = present.filter(({ is_guest }) => is_guest === 1);
      if (present.some((one) => one.member_id === member_id)) return;
      if (guests.length >= max_guests) throw fail('session_full', `Session ${session_id} has ${max_guests} plugins already`);
      await sessions.addGuest(session_id, { member_id, host_id: asker.member_id, now: clock.iso() });
    });
  }

  /**
   * Removes a member of a room, or a plugin's own member from a conversation of two; anybody may remove themselves. Fails with
   * `session_not_found`, `session_member_not_found`, and as {@link Rooms.remove} does.
   */
  async remove(session_id: string, member_id: number, asker: Asker): Promise<void> {
    const session = await this.#session(session_id, asker);
    if (session.target_type === 'room') return this.#rooms.remove(session_id, member_id, asker);
    if (asker.member_id !== member_id) await this.#assertHost(session_id, asker);
    if (await this.leave(session_id, member_id)) return;
    throw fail('session_member_not_found', `Member ${member_id} is not an added member of a plugin in session ${session_id}`);
  }

  /** Removes an added member and ends its streams. False if it is not one. */
  async leave(session_id: string, member_id: number): Promise<boolean> {
    const { db, sessions, readers } = this.#ports;
    const left = await sessions.removeGuest(session_id, member_id);
    if (left) db.afterCommit(() => readers.dismiss({ session_id, member_id }));
    return left;
  }

  async #session(session_id: string, { member_id }: Asker): Promise<Session> {
    const session = await this.#ports.sessions.get(session_id, member_id);
    if (!session) throw notThere(session_id);
    return session;
  }

  /** Fails unless the caller is a member who was not added. */
  async #assertHost(session_id: string, asker: Asker): Promise<void> {
    await this.#session(session_id, asker);
    if (await this.#ports.sessions.isGuest(session_id, asker.member_id)) throw notThere(session_id);
  }
}
