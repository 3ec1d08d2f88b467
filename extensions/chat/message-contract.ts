import type { Message } from './contract.js';

/** Later changes of a message, as its record shows them. */
export interface MessageChanges {
  /** Time of the last edit. */
  edited_at: string | null;
  /** Time of the deletion. A deleted message stays without text, images and tool calls. */
  deleted_at: string | null;
  /** The first message of the thread that this one is in; null outside of threads. */
  thread_id: string | null;
  /** Number of messages in the thread that begins with this one. */
  reply_count: number;
  last_reply_at: string | null;
  /** The earliest first. */
  reactions: Reaction[];
}

export interface ReactionCount {
  emoji: string;
  /** Number of members. */
  count: number;
}

export interface Reaction extends ReactionCount {
  /** Whether the caller is among them. Always false in streams and pushed frames, which several members get. */
  mine: boolean;
}

/** A page of the messages of a session or, with `thread_id`, of a thread beginning with its first message. */
export interface MessagePage {
  /** Required without `thread_id`. */
  session_id?: string;
  thread_id?: string;
  /** `roots`: only messages outside of threads. */
  threads?: 'roots';
  before?: string;
  limit: number;
}

/** Operations that change messages. */
export type ChangesApi = {
  'messages.edit': { input: { message_id: string; content: string }; answer: Message };
  'messages.delete': { input: { message_id: string }; answer: undefined };
  'reactions.add': { input: { message_id: string; emoji: string }; answer: { reactions: Reaction[] } };
  'reactions.remove': { input: { message_id: string; emoji: string }; answer: { reactions: Reaction[] } };
};

/** A message that was edited or deleted. */
export interface MessageChanged {
  message_id: string;
  session_id: string;
  deleted: boolean;
  /** Start of the new text on one line, at most 100 characters; empty for a deleted message. */
  preview: string;
}
