import type { Caller, RoomCall, RoomRights, RoomVerdict } from '../../../kernel/contract/index.js';
import type { MembersService } from '../../members/contract.js';
import type { RoomAudience } from '../contract.js';
import type { Ports } from '../ports.js';
import type { Participant } from '../store/sessions-sql.js';

interface RightsParts {
  ports: Pick<Ports, 'db' | 'rooms' | 'sessions' | 'tasks'>;
  members: Pick<MembersService, 'admins'>;
}

/** A verdict, and the state of the room for which it holds. */
export interface RoomDecision {
  verdict: RoomVerdict;
  version: string;
}

const gone: RoomDecision = { verdict: 'gone', version: '' };

/**
 * Decides what an AI employee may do in a room: what everyone who reads along may do and see. The only place with this rule; the kernel asks
 * it for every call of an operation on behalf of a room, and AI employees before they use a tool.
 */
export class RightsInRoom implements RoomRights {
  readonly #parts: RightsParts;

  constructor(parts: RightsParts) {
    this.#parts = parts;
  }

  async decide(call: RoomCall, caller: Pick<Caller, 'member_id'>, session_id: string): Promise<RoomVerdict> {
    return (await this.decision(call, caller.member_id, session_id)).verdict;
  }

  async decision({ audience, session_id: about }: RoomCall, member_id: number, session_id: string): Promise<RoomDecision> {
    const { rooms, sessions } = this.#parts.ports;
    const room = await rooms.find(session_id);
    if (!room) return gone;
    const members = await sessions.members(session_id);
    if (!members.some((member) => member.member_id === member_id)) return gone;
    const version = `${room.members_version} ${room.visibility}`;
    const decided = (verdict: RoomVerdict) => ({ verdict, version });
    if (about === session_id) return decided('free');
    // A plugin's own member reads along without any rights.
    if (members.some(({ kind }) => kind === 'plugin')) return decided('ask');
    if (audience === 'members') return decided('free');
    // In an open room everyone is every member of the platform.
    if (audience !== 'admin' || room.visibility === 'open') return decided('ask');
    const admins = new Set((await this.#parts.members.admins()).map(({ id }) => id));
    const people = members.filter(({ kind }) => kind === 'person');
    return decided(people.every((person) => admins.has(person.member_id)) ? 'free' : 'ask');
  }

  /** Returns who reads a room; undefined if the session is no room or is gone. */
  async audience(session_id: string): Promise<RoomAudience | undefined> {
    const { rooms, sessions } = this.#parts.ports;
    const room = await rooms.find(session_id);
    if (!room) return undefined;
    const members = await sessions.members(session_id);
    const idsOf = (kind: Participant['kind']) => members.filter((one) => one.kind === kind).map(({ member_id }) => member_id);
    return { session_id, title: room.title, visibility: room.visibility, people: idsOf('person'), plugins: idsOf('plugin') };
  }

  /**
   * Notes that a task is going to read what only the present members of its room may see, so that it is stopped before more members can.
   * False if the room has changed since the decision, which then no longer holds. Locks the room, so that a change waits or is seen.
   */
  async confine(task_id: string, session_id: string, { version }: Pick<RoomDecision, 'version'>): Promise<boolean> {
    const { db, rooms, tasks } = this.#parts.ports;
    return db.transaction(async () => {
      const room = await rooms.lock(session_id);
      if (!room || `${room.members_version} ${room.visibility}` !== version) return false;
      await tasks.markPrivate(task_id);
      return true;
    });
  }
}
