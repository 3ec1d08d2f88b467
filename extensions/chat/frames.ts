import type { Context } from '../../kernel/contract/index.js';
import type { Chat, Message, Task } from './contract.js';
import type { RoomRecord } from './store/rooms-sql.js';
import type { UnreadCount } from './store/sessions-sql.js';

/** Size limit of a message in a frame, because frames are stored up to 60 KiB; longer messages are truncated. */
const max_json = 48_000;
const start = 2_000;

interface ReactionChange {
  session_id: string;
  message_id: string;
  member_id: number;
  emoji: string;
  added: boolean;
}

/** Pushes frames to sockets after the commit, each to the members of its session only. */
export class Frames {
  readonly #push: Context<Chat>['push'];

  constructor(push: Context<Chat>['push']) {
    this.#push = push;
  }

  created(members: readonly number[], message: Message): void {
    this.#message('message.created', members, message);
  }

  updated(members: readonly number[], message: Message): void {
    this.#message('message.updated', members, message);
  }

  deleted(members: readonly number[], data: { session_id: string; message_id: string }): void {
    this.#push({ members }, { type: 'message.deleted', data });
  }

  reaction(members: readonly number[], { session_id, message_id, member_id, emoji, added }: ReactionChange): void {
    this.#push({ members }, { type: 'reaction', data: { session_id, message_id, member_id, emoji, added } });
  }

  task(task: Task): void {
    this.#push({ members: [task.requested_by] }, { type: 'task.updated', data: { task } });
  }

  unread(session_id: string, counts: readonly UnreadCount[]): void {
    for (const { member_id, unread_count } of counts) {
      this.#push({ members: [member_id] }, { type: 'unread', data: { session_id, count: unread_count } });
    }
  }

  /** Sends a room's record, the same for all members. */
  session(members: readonly number[], { id: session_id, ...room }: RoomRecord): void {
    this.#push({ members }, { type: 'session.updated', data: { session_id, ...room } });
  }

  /** Tells members that they are no longer in a session. */
  left(members: readonly number[], session_id: string): void {
    this.#push({ members }, { type: 'session.left', data: { session_id } });
  }

  typing(members: readonly number[], data: { session_id: string; member_id: number; state: 'start' | 'stop' }): void {
    this.#push({ members }, { type: 'typing', data }, { keep: false });
  }

  #message(type: string, members: readonly number[], message: Message): void {
    this.#push({ members }, { type, data: messageData(message) });
  }
}

/** Returns the data of a frame with a message, which is truncated if it is too long. */
export function messageData(message: Message): { message: Message; truncated: boolean } {
  const truncated = isTooLong(message);
  const shown = truncated ? { ...message, content: message.content.slice(0, start).toWellFormed(), tool_calls: [] } : message;
  return { message: shown, truncated };
}

/** Skips the JSON of a text that is too long already, because it may have megabytes. */
function isTooLong(message: Message): boolean {
  if (message.content.length > max_json) return true;
  const json = JSON.stringify(message);
  return json.length > max_json / 3 && Buffer.byteLength(json) > max_json;
}
