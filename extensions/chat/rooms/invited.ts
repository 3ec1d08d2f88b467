import { isFailure } from '../../../kernel/contract/index.js';
import type { InvitedMember } from '../../members/contract.js';
import type { Ports } from '../ports.js';
import type { Rooms } from './rooms.js';

/** Brings people who accepted an invitation into its rooms. */
export class InvitedToRooms {
  readonly #ports: Pick<Ports, 'rooms' | 'sessions' | 'log'>;
  readonly #rooms: Rooms;

  constructor(ports: Pick<Ports, 'rooms' | 'sessions' | 'log'>, rooms: Rooms) {
    this.#ports = ports;
    this.#rooms = rooms;
  }

  /** Returns those of the rooms that a member may add people to: open ones, and those that it owns. */
  async allowed(room_ids: readonly string[], member_id: number): Promise<string[]> {
    const { rooms } = this.#ports;
    const allowed: string[] = [];
    for (const id of new Set(room_ids)) {
      const room = await rooms.find(id);
      const [member] = room ? await rooms.among(id, [member_id]) : [];
      if (room && (room.visibility === 'open' || member?.role === 'owner')) allowed.push(id);
    }
    return allowed;
  }

  /** Adds the person to the rooms as far as the member who invited it still may. Repeatable. */
  async welcome({ id, room_ids, invited_by }: InvitedMember): Promise<void> {
    for (const session_id of room_ids) {
      try {
        await this.#add(session_id, id, invited_by);
      } catch (err) {
        if (!isFailure(err)) throw err;
        this.#ports.log.warn('Could not add an invited member to a room', { session_id, member_id: id, err });
      }
    }
  }

  async #add(session_id: string, id: number, invited_by: number): Promise<void> {
    const room = await this.#ports.rooms.find(session_id);
    if (room?.visibility === 'open') await this.#rooms.join(session_id, { member_id: id, scopes: 'all' });
    else await this.#rooms.add(session_id, [id], { member_id: invited_by, scopes: 'all' });
  }
}
