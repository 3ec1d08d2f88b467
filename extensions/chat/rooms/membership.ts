import { LRUCache } from 'lru-cache';
import type { RoomRows } from '../store/rooms-sql.js';
import type { Sessions } from '../store/sessions-sql.js';

/** The members of a room, and its number in the search index. */
export interface RoomMembers {
  ids: readonly number[];
  room_no: number;
}

interface Cached extends RoomMembers {
  version: string;
}

/** Rooms whose members are cached; one of 5,000 members takes 40 KB. */
const max_rooms = 500;

/**
 * Knows who gets the messages of a room. The list is cached, because a message must not read thousands of rows; its version is read each time,
 * in the caller's transaction, so that it is never stale.
 */
export class Membership {
  readonly #rooms: Pick<RoomRows, 'find'>;
  readonly #sessions: Pick<Sessions, 'participants'>;
  readonly #cached = new LRUCache<string, Cached>({ max: max_rooms });

  constructor(rooms: Pick<RoomRows, 'find'>, sessions: Pick<Sessions, 'participants'>) {
    this.#rooms = rooms;
    this.#sessions = sessions;
  }

  /** Returns the members of a room; nobody if it is gone. */
  async of(session_id: string): Promise<RoomMembers> {
    const room = await this.#rooms.find(session_id);
    if (!room) return { ids: [], room_no: 0 };
    const known = this.#cached.get(session_id);
    const current = known?.version === room.members_version ? known : await this.#read(session_id, room);
    this.#cached.set(session_id, current);
    return current;
  }

  async #read(
    session_id: string,
    { members_version: version, room_no }: { members_version: string; room_no: number | null },
  ): Promise<Cached> {
    // Frozen, so that frames to the same list cost less.
    return { ids: Object.freeze(await this.#sessions.participants(session_id)), room_no: Number(room_no), version };
  }
}
