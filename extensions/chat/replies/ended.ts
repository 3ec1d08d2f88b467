import type { Fault, Message, MessageStatus, Task } from '../contract.js';
import type { Ports } from '../ports.js';
import type { StoredMessage } from '../store/messages.js';
import type { UnreadCount } from '../store/sessions.js';
import type { Job, Outcome } from '../store/tasks.js';
import { startOf } from '../text.js';

/** How a reply ends. */
export interface Ending {
  task: Outcome['status'];
  message: MessageStatus;
  reason: string | null;
  error: Fault | null;
  /** So many texts that joined are answered: where there are more it isn't the end. */
  joins?: number;
}

/** A reply that was ended. */
export interface Ended {
  job: Job;
  ending: Ending;
  /** Whether who asked for it is to be told of it. */
  isAway: boolean;
  /** As it is stored now. */
  task: Task;
  /** Undefined where it is gone. */
  message: Message | undefined;
  unread: readonly UnreadCount[];
}

/** So much of a text is shown in a list, in characters. */
const previewed = 100;

/** Shows ended replies as the last of their sessions, which are held, and has them found. Gives what is unread by session. */
export async function showEnded(ports: Ports, replies: readonly StoredMessage[], now: string): Promise<ReadonlyMap<string, UnreadCount[]>> {
  if (replies.length === 0) return new Map();
  const { messages, sessions } = ports;
  const arrived = replies.map(({ message: { session_id, created_at, content, sender_id } }) => {
    return { session_id, created_at, preview: startOf(content, previewed), sender_id: sender_id ?? 0 };
  });
  const unread = await sessions.arrived(arrived, now);
  const membersOf = (session_id: string) => (unread.get(session_id) ?? []).map(({ member_id }) => member_id);
  await messages.index(replies.map((stored) => ({ stored, members: membersOf(stored.message.session_id) })));
  return unread;
}

/** Tells of a reply that was ended and shown, in the transaction that did it. */
export async function tellEnded(ports: Ports, ended: Ended): Promise<void> {
  const { frames, sessions } = ports;
  const { task, message, unread, isAway } = ended;
  frames.task(task);
  if (!message) return sessions.showActiveTask(task.session_id);
  frames.updated([task.requested_by], message);
  frames.unread(task.session_id, unread);
  if (isAway) await emit(ports, ended, startOf(message.content, previewed));
}

async function emit(ports: Ports, { job, ending: { task: status, error } }: Ended, preview: string): Promise<void> {
  if (status === 'cancelled') return;
  const { id: task_id, session_id, reply_id: message_id, member_id, requested_by } = job.task;
  const ended = { session_id, task_id, message_id, member_id, name: job.member_name, requested_by, status };
  await ports.emit('chat.reply_ended', { ...ended, preview: error ? startOf(error.message, previewed) : preview });
}
