import type { Task } from '../contract.js';
import type { Ports } from '../ports.js';
import { appendLast } from './recorder.js';
import type { ReplyEvent } from './topics.js';

type LastEvent = { type: string; data: { seq: number; [field: string]: unknown } };

/** Ends a task that waits, with an empty reply; undefined where it was claimed meanwhile. */
export async function withdraw(ports: Ports, task: Task, reason: string): Promise<Task | undefined> {
  const { db, tasks, messages, sessions, frames, clock } = ports;
  const withdrawn = await db.transaction(async () => {
    if (!(await tasks.withdraw(task.id, reason, clock.iso()))) return undefined;
    const job = await tasks.find(task.id);
    const created_at = await sessions.nextTime(task.session_id, clock.now());
    if (!job || created_at === undefined) return job?.task;
    const { reply_id: id, session_id, member_id: sender_id, message_id: reply_to } = task;
    const reply = { id, session_id, sender_id, reply_to, task_id: task.id, sender_name: job.member_name, content: '', created_at };
    const { message } = await messages.insert({ ...reply, role: 'assistant', status: 'aborted', seq: 0 });
    frames.created([task.requested_by], message);
    frames.task(job.task);
    await sessions.showActiveTask(session_id);
    return job.task;
  });
  if (withdrawn) {
    await tellLast(ports, withdrawn, [
      { type: 'message.aborted', data: { seq: 1 } },
      { type: 'task.updated', data: { seq: 2, task: withdrawn } },
      { type: 'done', data: { seq: 3 } },
    ]);
  }
  return withdrawn;
}

/** The last events of a task that doesn't run. */
export function tellLast({ journal, log }: Ports, task: Task, events: readonly LastEvent[]): Promise<void> {
  const ids = { task_id: task.id, message_id: task.reply_id };
  const full: ReplyEvent[] = events.map(({ type, data: { seq, ...rest } }) => ({ type, data: { seq, ...ids, ...rest } }));
  return appendLast({ journal, log, task_id: task.id, session_id: task.session_id }, full);
}
