import type { MessageChanged } from './message-types.js';
import type { Invited, RoomMessage, SessionLeft } from './rooms/types.js';

/** A finished reply, for notifying a member who was away. */
export interface ReplyEnded {
  session_id: string;
  task_id: string;
  /** The reply. */
  message_id: string;
  /** The AI employee, and its name. */
  member_id: number;
  name: string;
  requested_by: number;
  status: 'completed' | 'failed';
  /** Beginning of the reply on one line, at most 100 characters; for a failed reply the reason. */
  preview: string;
}

/** A message that members of its session did not see. */
export interface MessageMissed {
  session_id: string;
  message_id: string;
  sender_id: number;
  sender_name: string;
  /** The members; AI employees may be among them. */
  to: number[];
  /** The start of the message on one line, at most 100 characters. */
  preview: string;
}

/** The title of a session, or a text for an AI employee, that mentions members as `@username`. */
export interface Mentioned {
  session_id: string;
  message_id: string | null;
  task_id: string | null;
  sender_id: number;
  /** In lower case, not verified to exist. */
  names: string[];
  /** Beginning of the text on one line, at most 100 characters. Only members of the session may see it. */
  text: string;
}

/** A message that a member has reported. */
export interface MessageReported {
  session_id: string;
  message_id: string;
  /** Title of the room; null for other conversations. */
  room_title: string | null;
  /** People who own the room, without the reporting member and the sender. If there are none, the report is for the administrators. */
  owners: number[];
  /** Null if the sender was deleted. */
  sender_id: number | null;
  sender_name: string;
  /** The reporting member, and its name. */
  reported_by: number;
  name: string;
  reason: string;
}

/** A session that a member has read. */
export interface ReadSession {
  session_id: string;
  member_id: number;
}

/** Called after a member has read the unread messages of a session. */
export type ChatRead = (read: ReadSession) => Promise<void>;

/** The slot for each {@link ChatRead}. */
export type ChatReadSlot = 'chat.read';

export type ChatEvents = {
  /** A message was edited or deleted. Listeners that have stored its text replace it. */
  'chat.message_changed': MessageChanged;
  /** A message was sent while these members were offline and had no stream of its session open. */
  'chat.message_missed': MessageMissed;
  'chat.mentioned': Mentioned;
  /** A member has reported a message. Emitted once for each member and message. */
  'chat.message_reported': MessageReported;
  /** A message in a room that members want to be notified of. */
  'chat.room_message': RoomMessage;
  /** People were added to a room by another member. */
  'chat.invited': Invited;
  /** Members left a room or were removed, or the room is being deleted; at most 5,000 per event. */
  'chat.session_left': SessionLeft;
  /** Sessions were deleted with their messages; at most 200 per event. */
  'chat.sessions_deleted': { ids: string[] };
  /**
   * A reply ended while the asking member was offline and had no stream of its session open. Not emitted for a stopped reply.
   */
  'chat.reply_ended': ReplyEnded;
};
