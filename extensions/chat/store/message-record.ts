import type { Message, Usage } from '../contract.js';
import type { MessageRow } from '../models.js';

/** A stored message; it includes all events of the reply up to `seq`. */
export interface StoredMessage extends Pick<MessageRow, 'seq' | 'no'> {
  message: Message;
}

/** Fields of a new message that later changes set. */
export const unchanged = { edited_at: null, deleted_at: null, thread_id: null, reply_count: 0, last_reply_at: null, reactions: [] };

/** Returns a row as a stored message. */
export function toStored(row: MessageRow): StoredMessage {
  return { message: toMessage(row), seq: row.seq, no: row.no };
}

/** Returns a row as clients see it, with nobody's reactions marked as own. */
export function toMessage(row: MessageRow): Message {
  return {
    id: row.id,
    session_id: row.session_id,
    role: row.role,
    sender_id: row.sender_id,
    sender_name: row.sender_name,
    content: row.content,
    images: row.images,
    files: row.files,
    reply_to: row.reply_to,
    task_id: row.task_id,
    status: row.status,
    error: row.error,
    notices: row.notices,
    usage: usageOf(row),
    tool_calls: row.tool_calls,
    mentions: row.mentions,
    created_at: row.created_at,
    updated_at: row.updated_at,
    edited_at: row.edited_at,
    deleted_at: row.deleted_at,
    thread_id: row.thread_id,
    reply_count: row.reply_count,
    last_reply_at: row.last_reply_at,
    reactions: row.reactions.map((reaction) => ({ ...reaction, mine: false })),
  };
}

function usageOf({ input_tokens, output_tokens }: MessageRow): Usage | null {
  return input_tokens === null || output_tokens === null ? null : { input_tokens, output_tokens };
}
