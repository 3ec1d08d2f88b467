import { fail as failCore } from '../../kernel/contract/index.js';
import type { MembersService } from '../members/contract.js';
import { fail } from './codes.js';
import type { Asker, SessionMember } from './contract.js';
import type { Ports } from './ports.js';
import { notThere } from './replies/readers.js';

const max_guests = 10;

/** Members of a session: those who opened it, and added members of plugins. */
export class SessionMembers {
  readonly #ports: Ports;
  readonly #members: MembersService;

  constructor(ports: Ports, members: MembersService) {
    this.#ports = ports;
    this.#members = members;
  }

  /** Lists the members. Fails with `session_not_found`. */
  async list(session_id: string, asker: Asker): Promise<SessionMember[]> {
    await this.#session(session_id, asker);
    const rows = await this.#ports.sessions.members(session_id);
    const known = new Map((await this.#members.byIds(rows.map(({ member_id }) => member_id))).map((member) => [member.id, member]));
    return rows.map(({ member_id, is_guest }) => {
      const { username = '', nickname = '' } = known.get(member_id) ?? {};
      return { member_id, username, nickname, is_guest };
    });
  }

  /**
   * Adds a plugin's own member, which may then read and write in the session. No effect if it is a member already. Fails with
   * `session_not_found`, `session_full`, or with `invalid_input` for any other member.
   */
  async add(session_id: string, member_id: number, asker: Asker): Promise<SessionMember> {
    const { db, sessions, clock } = this.#ports;
    return db.transaction(async () => {
      await this.#assertHost(session_id, asker);
      const member = await this.#members.get(member_id);
      if (!member) throw invalid(`'member_id' must be the id of a plugin's own member, but there is no member ${member_id}`);
      // Plugins' members are virtual but not AI employees.
      const isPlugin = member.is_virtual && (await this.#members.virtual(member_id)) === undefined;
      if (!isPlugin) throw invalid(`Only plugins' own members can be added to a session, but member ${member_id} is not one`);
      // Serialises concurrent additions.
      await sessions.lock([session_id]);
      const present = await sessions.members(session_id);
      const guests = present.filter(({ is_guest }) => is_guest);
      const found = present.find((one) => one.member_id === member_id);
      if (!found) {
        if (guests.length >= max_guests) throw fail('session_full', `Session ${session_id} has ${max_guests} plugins already`);
        await sessions.addGuest(session_id, { member_id, host_id: asker.member_id, now: clock.iso() });
      }
      return { member_id, username: member.username, nickname: member.nickname, is_guest: found?.is_guest ?? true };
    });
  }

  /** Removes a plugin's own member, which may also remove itself. Fails with `session_not_found` or `session_member_not_found`. */
  async remove(session_id: string, member_id: number, asker: Asker): Promise<void> {
    if (asker.member_id !== member_id) await this.#assertHost(session_id, asker);
    else await this.#session(session_id, asker);
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

  async #session(session_id: string, { member_id }: Asker): Promise<void> {
    if (!(await this.#ports.sessions.get(session_id, member_id))) throw notThere(session_id);
  }

  /** Fails unless the caller is a member who was not added. */
  async #assertHost(session_id: string, asker: Asker): Promise<void> {
    await this.#session(session_id, asker);
    if (await this.#ports.sessions.isGuest(session_id, asker.member_id)) throw notThere(session_id);
  }
}

function invalid(message: string): Error {
  return failCore('invalid_input', message, { details: [{ path: 'member_id', message }] });
}
