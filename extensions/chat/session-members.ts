import { fail as failCore } from '../../kernel/contract/index.js';
import type { MembersService } from '../members/contract.js';
import { fail } from './codes.js';
import type { Asker, SessionMember } from './contract.js';
import type { Ports } from './ports.js';
import { notThere } from './replies/readers.js';

const max_guests = 10;

/** Members of a session: those it was opened for, and plugins' own members that they have added. */
export class SessionMembers {
  readonly #ports: Ports;
  readonly #members: MembersService;

  constructor(ports: Ports, members: MembersService) {
    this.#ports = ports;
    this.#members = members;
  }

  /** Fails with `session_not_found`. */
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
   * Lets a plugin's own member see and write in the session. One that is there already stays. Fails with `session_not_found`,
   * `session_full`, and with `invalid_input` for whoever is no plugin's.
   */
  async add(session_id: string, member_id: number, asker: Asker): Promise<SessionMember> {
    const { db, sessions, clock } = this.#ports;
    return db.transaction(async () => {
      await this.#host(session_id, asker);
      const member = await this.#members.get(member_id);
      if (!member) throw invalid(`'member_id' must be the id of a plugin's own member, but there is no member ${member_id}`);
      // Virtual, and nobody's employee.
      const isPlugin = member.is_virtual && (await this.#members.virtual(member_id)) === undefined;
      if (!isPlugin) throw invalid(`Only plugins' own members can be added to a session, but member ${member_id} is not one`);
      // Whoever adds at the same time waits here for its turn.
      await sessions.hold([session_id]);
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

  /** Takes a plugin's own member out again; that may also do it by itself. Fails with `session_not_found` and `session_member_not_found`. */
  async remove(session_id: string, member_id: number, asker: Asker): Promise<void> {
    if (asker.member_id !== member_id) await this.#host(session_id, asker);
    else await this.#session(session_id, asker);
    if (await this.leave(session_id, member_id)) return;
    throw fail('session_member_not_found', `Member ${member_id} is no plugin's that was added to session ${session_id}`);
  }

  /** Ends its reading of the session. False if it is not an added member of a plugin. */
  async leave(session_id: string, member_id: number): Promise<boolean> {
    const { db, sessions, readers } = this.#ports;
    const left = await sessions.removeGuest(session_id, member_id);
    if (left) db.afterCommit(() => readers.dismiss({ session_id, member_id }));
    return left;
  }

  async #session(session_id: string, { member_id }: Asker): Promise<void> {
    if (!(await this.#ports.sessions.get(session_id, member_id))) throw notThere(session_id);
  }

  /** Whoever was added adds nobody. */
  async #host(session_id: string, asker: Asker): Promise<void> {
    await this.#session(session_id, asker);
    if (await this.#ports.sessions.isGuest(session_id, asker.member_id)) throw notThere(session_id);
  }
}

function invalid(message: string): Error {
  return failCore('invalid_input', message, { details: [{ path: 'member_id', message }] });
}
