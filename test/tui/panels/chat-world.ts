import type { StreamEvent } from '../../../kernel/contract/operation.js';
import { now } from '../drawn.js';

export const at = (ms: number) => new Date(now - ms).toISOString();
export const session = (id: string, title: string, more: object = {}) => ({
  id,
  title,
  target_type: 'ai',
  unread_count: 0,
  last_message_at: at(120_000),
  last_message_preview: 'The last words',
  active_task_id: null,
  active_task_ids: [],
  mention_count: 0,
  role: 'member',
  ...more,
});
export const message = (id: string, sender_name: string, content: string, more: object = {}) => ({
  id,
  sender_name,
  content,
  status: 'completed',
  task_id: null,
  images: [],
  files: [],
  tool_calls: [],
  notices: [],
  error: null,
  created_at: at(60_000),
  edited_at: null,
  deleted_at: null,
  reply_count: 0,
  last_reply_at: null,
  reactions: [],
  ...more,
});
const contact = {
  member_id: 2,
  nickname: 'Grace',
  is_virtual: true,
  post: 'Admiral',
  role: 'member',
  presence: 'online',
  last_message_at: null,
};
export const approval = { id: 'a1', name: 'shell', input: { command: 'ls' } };

interface Given {
  sessions?: object[];
  messages?: object[];
  events?: StreamEvent[];
  members?: object[];
  /** Replies of each thread. */
  replies?: object[];
  /** The member's own tasks. */
  tasks?: object[];
  not_in_room?: object[];
}

/** Fakes of an installation, which answer with the given records and note the calls that change something. */
export function installation({ sessions = [session('s1', 'About ducks', { unread_count: 3 })], ...given }: Given = {}) {
  const { messages = [], events = [], members = [], replies = [], tasks = [], not_in_room = [] } = given;
  const calls: unknown[] = [];
  const note = (name: string) => async (input: object) => void calls.push({ [name]: input });
  const client = {
    sessions: {
      list: async () => sessions,
      get: async ({ session_id }: { session_id: string }) => sessions.find((each) => (each as { id: string }).id === session_id),
      delete: note('delete'),
      members: async () => members,
      add_member: note('add'),
    },
    messages: {
      list: async ({ thread_id }: { thread_id?: string }) =>
        thread_id === undefined ? messages : [...messages.filter((each) => (each as { id: string }).id === thread_id), ...replies],
    },
    contacts: {
      list: async () => [contact],
      start: async ({ member_id }: { member_id: number }) => {
        calls.push({ start: { member_id } });
        return { session: sessions[0] };
      },
    },
    files: {
      upload: async ({ file }: { file: { name: string; bytes: Buffer } }) => {
        calls.push({ upload: [file.name, file.bytes.toString()] });
        return { id: `id of ${file.name}` };
      },
      get: async ({ file_id }: { file_id: string }) => ({ bytes: Buffer.from(`content of ${file_id}`) }),
    },
    images: { get: async ({ hash }: { hash: string }) => ({ bytes: Buffer.from(`image ${hash}`) }) },
    chat: {
      send: async (input: object) => {
        calls.push({ send: input });
        return { not_in_room };
      },
    },
    unread: { mark_read: note('read') },
    approvals: { decide: note('decide'), get: async () => approval },
    tasks: {
      active: async () => tasks,
      cancel: note('cancel'),
      stream: async function* stream() {
        yield* events;
        await new Promise(() => undefined);
      },
    },
  };
  return { calls, client };
}

export const room = (more: object = {}) => session('r1', 'Launch', { target_type: 'room', role: 'owner', ...more });
