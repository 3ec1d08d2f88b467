import type { Message, Task } from '../contract.js';
import type { Messages } from '../store/messages.js';

/**
 * The conversation up to the message that a task answers: each reply stands after what it answers,
 * although a second message may have come while the first was answered, and texts may have joined it.
 * What was sent after it, and waits for a task of its own or joined this one, is left out.
 */
export async function historyOf(messages: Messages, task: Task, limit: number): Promise<Message[]> {
  // What waits was sent after the message and before its reply began, at most 20 of them.
  const all = await messages.told(task.session_id, { asked: task.message_id, limit: limit + 25 });
  const asked = all.find(({ id }) => id === task.message_id) ?? (await messages.find(task.message_id))?.message;
  if (!asked) return [];
  const askedAt = new Map(all.map(({ id, created_at }) => [id, created_at]));
  const askedIn = new Map(all.flatMap(({ task_id, reply_to }) => (reply_to ? [[task_id, reply_to]] : [])));
  askedIn.set(task.id, asked.id);
  const turn = (message: Message) => askedAt.get(message.reply_to ?? askedIn.get(message.task_id) ?? '') ?? message.created_at;
  return all
    .filter((message) => message.id !== task.reply_id && message.id !== asked.id && turn(message) < asked.created_at)
    .sort((a, b) => compare(turn(a), turn(b)) || compare(a.reply_to ? 1 : 0, b.reply_to ? 1 : 0) || compare(a.created_at, b.created_at))
    .slice(-limit)
    .concat(asked);
}

function compare<Value extends string | number>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
