import { Together } from '../../../kernel/contract/index.js';
import type { Fault, Message, MessageStatus, Task } from '../contract.js';
import type { Ports } from '../ports.js';
import { emitRoomAnswer } from '../rooms/room-messages.js';
import type { StoredMessage } from '../store/message-record.js';
import type { Progress } from '../store/messages-sql.js';
import type { UnreadCount } from '../store/sessions-sql.js';
import type { Job, Outcome } from '../store/tasks-sql.js';
import { startOf } from '../text.js';
import { appendLast, type ReplyEvent } from './recorder.js';

/** Failure of a reply whose process ended first. */
export const interrupted: Fault = { code: 'interrupted', message: 'The process that wrote this reply ended before the reply did' };

/** Returns whether a task answers in a room. */
export function isInRoom({ lane }: Pick<Job, 'lane'>): boolean {
  return lane !== 0;
}

/** Returns whether a task has ended. */
export function isFinal({ status }: Pick<Task, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Outcome of a reply. */
export interface ReplyOutcome {
  task: Outcome['status'];
  message: MessageStatus;
  reason: string | null;
  error: Fault | null;
  /** Number of answered joined texts: if more have joined, the reply continues. */
  joins?: number;
}

/** A reply whose outcome is stored. */
export interface StoredReply {
  job: Job;
  outcome: ReplyOutcome;
  /** Whether the asking member is away and must be notified. */
  isAway: boolean;
  /** The stored task. */
  task: Task;
  /** The stored message; undefined if it is gone. */
  message: Message | undefined;
  unread: readonly UnreadCount[];
}

/** Length of previews, in characters. */
const preview_length = 100;

/** A stored reply, and whether it is in a room. */
export interface ReplyInSession {
  stored: StoredMessage;
  in_room: boolean;
}

/** Makes replies the latest messages of their sessions, which must be locked, and indexes them. Returns unread counts by session. */
export async function showOutcomes(
  ports: Ports,
  replies: readonly ReplyInSession[],
  now: string,
): Promise<ReadonlyMap<string, UnreadCount[]>> {
  if (replies.length === 0) return new Map();
  const { messages, sessions, membership } = ports;
  const arrived = replies.map(({ stored: { message }, in_room }) => {
    const { id, session_id, created_at, content, sender_id, thread_id } = message;
    const room = in_room ? { message_id: id, in_thread: thread_id !== null } : undefined;
    return { session_id, created_at, preview: startOf(content, preview_length), sender_id: sender_id ?? 0, in_room: room };
  });
  const unread = await sessions.arrived(arrived, now);
  const indexed = [];
  for (const { stored, in_room } of replies) {
    const { session_id } = stored.message;
    const ids = (unread.get(session_id) ?? []).map(({ member_id }) => member_id);
    indexed.push({ stored, readers: in_room ? await membership.of(session_id) : { ids } });
  }
  await messages.index(indexed);
  return unread;
}

/** Returns the members whose clients show a reply: in a room all, otherwise the asker. */
export async function readersOf({ membership }: Pick<Ports, 'membership'>, { task, lane }: Job): Promise<readonly number[]> {
  return isInRoom({ lane }) ? (await membership.of(task.session_id)).ids : [task.requested_by];
}

/** Sends a task's state to the asker, unless the asker has left the room. `readers`: the members of the room. */
export function showTask({ frames }: Pick<Ports, 'frames'>, job: Pick<Job, 'task' | 'lane'>, readers: readonly number[]): void {
  if (readers.includes(job.task.requested_by)) frames.task(job.task);
}

/** Emits the event of an outcome, within the transaction that stored it. */
export async function notifyOutcome(ports: Ports, stored: StoredReply): Promise<void> {
  const { frames, sessions } = ports;
  const { task, message, unread, isAway } = stored;
  const readers = await readersOf(ports, stored.job);
  showTask(ports, { ...stored.job, task }, readers);
  if (!message) return sessions.showActiveTask(task.session_id);
  frames.updated(readers, message);
  frames.unread(task.session_id, unread);
  const notified = isAway ? await emit(ports, stored, startOf(message.content, preview_length)) : [];
  if (isInRoom(stored.job) && message.status === 'completed') await emitRoomAnswer(ports, message, notified);
}

/** Returns the members whom the event notifies. */
async function emit(ports: Ports, { job, outcome: { task: status, error } }: StoredReply, preview: string): Promise<readonly number[]> {
  if (status === 'cancelled') return [];
  const wanted = await ports.rooms.notified(job.task.session_id, { ids: [job.task.requested_by], now: ports.clock.iso() });
  if (wanted.length === 0) return wanted;
  const { id: task_id, session_id, reply_id: message_id, member_id, requested_by } = job.task;
  const event = { session_id, task_id, message_id, member_id, name: job.member_name, requested_by, status };
  await ports.emit('chat.reply_ended', { ...event, preview: error ? startOf(error.message, preview_length) : preview });
  return wanted;
}

/** An outcome to be stored. */
export interface NewOutcome extends Pick<StoredReply, 'job' | 'outcome' | 'isAway'> {
  progress: Progress;
}

/** The stored records; `lost` if another instance stored an outcome, `joined` if a text has joined. */
export type StoredOutcome = { task: Task | undefined; message: Message | undefined } | 'lost' | 'joined';

/** Outcomes per transaction. More would delay the text of other replies, because each outcome has events to send afterwards. */
const max_outcomes = 8;

/**
 * Stores outcomes of replies. Those that arrive during a write are stored together by the next one: hundreds at one moment need a fraction
 * of the statements, and the text of other replies is stored in between.
 */
export class Outcomes {
  readonly #ports: Ports;
  readonly #together = new Together<NewOutcome, StoredOutcome>((take) => this.#store(take), { max: max_outcomes });

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Stores an outcome. Fails if the database does. */
  store(end: NewOutcome): Promise<StoredOutcome> {
    return this.#together.do(end);
  }

  #store(take: () => readonly NewOutcome[]): Promise<StoredOutcome[]> {
    const { db, tasks, messages, sessions, clock, owner } = this.#ports;
    return db.transaction(async () => {
      const ends = take();
      const now = clock.iso();
      const finished = await tasks.finish(owner(), ends.map(outcomeOf), now);
      const own = ends.filter(({ job }) => finished.has(job.task.id));
      const replies = own.length === 0 ? new Map<string, StoredMessage>() : await messages.finish(own.map(messageOf), now);
      // Waits for concurrent additions of tasks to these sessions, so that the next statement sees them.
      await sessions.lock(own.map(({ job }) => job.task.session_id));
      const ended = own.flatMap(({ job }) => {
        const stored = replies.get(job.task.reply_id);
        return stored ? [{ stored, in_room: isInRoom(job) }] : [];
      });
      const unread = await showOutcomes(this.#ports, ended, now);
      const stored: StoredOutcome[] = [];
      for (const end of ends) {
        const { id, reply_id, session_id } = end.job.task;
        const task = finished.get(id);
        const message = replies.get(reply_id)?.message;
        if (task) await notifyOutcome(this.#ports, { ...end, task, message, unread: unread.get(session_id) ?? [] });
        stored.push(task ? { task, message } : await this.#notStored(end));
      }
      return stored;
    });
  }

  async #notStored({ job, outcome }: NewOutcome): Promise<StoredOutcome> {
    const { tasks, messages } = this.#ports;
    const task = (await tasks.find(job.task.id))?.task;
    if (!task) return { task, message: undefined };
    if (!isFinal(task)) return outcome.joins === undefined ? 'lost' : 'joined';
    // Stored by an earlier attempt whose response was lost with the connection: others end tasks of this process as interrupted only.
    const isOwn = task.status === outcome.task && task.reason === outcome.reason && task.reason !== interrupted.code;
    return isOwn ? { task, message: (await messages.find(task.reply_id))?.message } : 'lost';
  }
}

function outcomeOf({ job, outcome: { task: status, reason, error, joins } }: NewOutcome): Outcome {
  return { id: job.task.id, status, reason, error, ...(joins === undefined ? {} : { joins }) };
}

function messageOf({ job, outcome: { message: status, error }, progress }: NewOutcome) {
  return { id: job.task.reply_id, ...progress, status, error };
}

/**
 * Returns the members who are offline and read no stream of the session; all of them if presence is unavailable.
 */
export async function whoIsAway(
  { online, readers, log }: Pick<Ports, 'online' | 'readers' | 'log'>,
  member_ids: readonly number[],
  session_id?: string,
): Promise<ReadonlySet<number>> {
  const unseen = session_id === undefined ? member_ids : member_ids.filter((member_id) => !readers.isReading({ session_id, member_id }));
  if (unseen.length === 0) return new Set();
  try {
    const here = await online(unseen);
    return new Set(unseen.filter((id) => !here.has(id)));
  } catch (err) {
    log.warn('Could not find out who is online', { err });
    return new Set(unseen);
  }
}

type LastEvent = { type: string; data: { seq: number; [field: string]: unknown } };

/** Ends a waiting task with an empty reply; undefined if it has been claimed. */
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
    const readers = await readersOf(ports, job);
    frames.created(readers, message);
    showTask(ports, job, readers);
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

/** Publishes the last events of a task that doesn't run. */
export function tellLast({ journal, log }: Ports, task: Task, events: readonly LastEvent[]): Promise<void> {
  const ids = { task_id: task.id, message_id: task.reply_id };
  const full: ReplyEvent[] = events.map(({ type, data: { seq, ...rest } }) => ({ type, data: { seq, ...ids, ...rest } }));
  return appendLast({ journal, log, task_id: task.id, session_id: task.session_id }, full);
}
