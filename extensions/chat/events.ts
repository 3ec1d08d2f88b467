/** A reply that somebody who was away may want to know of. */
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
  /** The start of the reply on one line, at most 100 characters; of a failed one the reason. */
  preview: string;
}

/** A message that members of its session were not reading. */
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
  /** In lower case, not looked up. */
  names: string[];
  /** The start of the text on one line, at most 100 characters: for members of the session alone. */
  text: string;
}

/** A member has read a session. */
export interface ReadSession {
  session_id: string;
  member_id: number;
}

/** Called after a member has read what was unread in a session. */
export type ChatRead = (read: ReadSession) => Promise<void>;

/** The slot for each {@link ChatRead}. */
export type ChatReadSlot = 'chat.read';

export type ChatEvents = {
  /** A message was sent while those members were not online, and had no stream of its session open. */
  'chat.message_missed': MessageMissed;
  'chat.mentioned': Mentioned;
  /** They are gone, with their messages, when this is taken; at most 200 at once. */
  'chat.sessions_deleted': { ids: string[] };
  /**
   * A reply has ended while the member for whom it was written was not online, and had no stream of its session open. A reply that was
   * stopped isn't told.
   */
  'chat.reply_ended': ReplyEnded;
};
