import { DatabaseFile } from './growth/file.js';

/** A room to store: its id ends with its number. */
export interface StoredRoom {
  no: number;
  /** With the administrator. */
  members: number;
  messages: number;
}

/** The administrator, who is in each room and owns it. */
const owner = 1;
/** The id of the first member that is added; two come with an installation. */
const first = 3;
/** Unread messages of the owner in each room, and mentions among them. */
const unread = 7;
const mentioned = 3;

/** Tables of a platform on SQLite, filled with members and rooms beside the platform, which looks at none of them meanwhile. */
export class RoomsTable {
  readonly #file: DatabaseFile;

  constructor(path: string) {
    this.#file = new DatabaseFile(path);
  }

  /** Adds people; `members` with the administrator. */
  async addMembers(members: number): Promise<void> {
    await this.#file.rows(
      `INSERT INTO members_members (username, username_key, nickname, search, name_key, role, is_virtual, created_at)
       ${numbers(members - 1)} SELECT 'person' || n, 'person' || n, 'Person ' || n, 'person' || n || char(10) || 'person ' || n, 'person ' || n,
         'member', 0, ${timeOf('n')} FROM numbers`,
    );
  }

  async addRooms(rooms: readonly StoredRoom[]): Promise<void> {
    await this.#file.rows('BEGIN');
    for (const room of rooms) await this.#addRoom(room);
    await this.#file.rows('COMMIT');
    await this.#file.rows('ANALYZE');
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #addRoom({ no, members, messages }: StoredRoom): Promise<void> {
    const id = `'${roomId(no)}'`;
    const read = Math.max(0, messages - unread);
    await this.#file.rows(
      `INSERT INTO chat_sessions (id, title, target_type, created_by, created_at, updated_at, last_message_at, last_message_preview, last_ms,
         member_count, members_version, message_count, room_no)
       VALUES (${id}, 'Room ${no}', 'room', ${owner}, ${timeOf('0')}, ${timeOf('0')}, ${timeOf(messages)}, 'Hello', 0, ${members}, '1',
         ${messages}, ${no})`,
    );
    await this.#file.rows(
      `INSERT INTO chat_participants (session_id, member_id, target_type, target_id, unread_count, hidden, activity_at, kind, role, joined_at,
         read_at, read_count)
       ${numbers(members)} SELECT ${id}, CASE WHEN n = 1 THEN ${owner} ELSE n + ${first - 2} END, 'room', '', 0, 0, ${timeOf('0')}, 'person',
         CASE WHEN n = 1 THEN 'owner' ELSE 'member' END, ${timeOf('0')}, ${timeOf(read)}, ${read} FROM numbers`,
    );
    if (messages > 0) await this.#addMessages(id, messages);
  }

  async #addMessages(id: string, messages: number): Promise<void> {
    const message = `substr(${id}, 1, 24) || printf('%02d', substr(${id}, -3)) || printf('%010d', n)`;
    await this.#file.rows(
      `INSERT INTO chat_messages (id, session_id, role, sender_id, sender_name, content, images, status, tool_calls, seq, created_at,
         updated_at, ordinal, no)
       ${numbers(messages)} SELECT ${message}, ${id}, 'user', ${first}, 'Person 1', 'Message ' || n, '[]', 'completed', '[]', 1, ${timeOf('n')},
         ${timeOf('n')}, n, n + (SELECT coalesce(max(no), 0) FROM chat_messages) FROM numbers`,
    );
    await this.#file.rows(
      `INSERT INTO chat_mentions (message_id, member_id, session_id, sender_id, created_at)
       SELECT id, ${owner}, session_id, sender_id, created_at FROM chat_messages
       WHERE session_id = ${id} AND (ordinal % 1000 = 0 OR ordinal > ${messages - mentioned})`,
    );
  }
}

export function roomId(no: number): string {
  return `01900000-0000-7000-8003-${String(no).padStart(12, '0')}`;
}

function numbers(last: number): string {
  return `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last})`;
}

/** SQL for the time of a room's message by its number: one each second. */
function timeOf(number: string | number): string {
  return `strftime('%Y-%m-%dT%H:%M:%S.000Z', 1735689600 + ${number}, 'unixepoch')`;
}
