import type { Message } from '../../../../extensions/chat/contract.js';

/** Returns a complete message of a person with nothing but its text, apart from the given fields. */
export const plainMessage = (fields: Partial<Message> & Pick<Message, 'content'>): Message => ({
  id: '',
  session_id: '',
  role: 'user',
  sender_id: 1,
  sender_name: '',
  images: [],
  files: [],
  reply_to: null,
  task_id: null,
  status: 'completed',
  error: null,
  notices: [],
  usage: null,
  tool_calls: [],
  mentions: [],
  created_at: '',
  updated_at: '',
  edited_at: null,
  deleted_at: null,
  thread_id: null,
  reply_count: 0,
  last_reply_at: null,
  reactions: [],
  ...fields,
});
