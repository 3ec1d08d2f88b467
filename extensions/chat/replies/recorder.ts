import { isFailure, type Journal, type Log } from '../../../kernel/contract/index.js';

/** Returns the journal topic of a task: all events of one reply. */
export const taskTopic = (task_id: string): string => `task:${task_id}`;

/** Returns the journal topic of a session: the events of all its replies, and people's messages. */
export const sessionTopic = (session_id: string): string => `session:${session_id}`;

/** Common data of a reply's events. */
export interface EventData {
  /** Increases by one with each event of a message. */
  seq: number;
  task_id: string | null;
  message_id: string;
  [field: string]: unknown;
}

export interface ReplyEvent {
  type: string;
  data: EventData;
}

/** Jobs per batch. Small, so that text reaches its reader's socket before hundreds of others are processed. */
const batch_size = 32;

type Work = () => void;

/**
 * Runs work in the next turn of the event loop, in batches. With hundreds of replies an immediate for each piece of text would cost more
 * than the work.
 */
export class EventLoopBatches {
  /** The batch that still accepts work. */
  #open: Work[] = [];

  /** `work` must not throw. */
  add(work: Work): void {
    if (this.#open.length === 0 || this.#open.length >= batch_size) {
      this.#open = [];
      setImmediate(this.#run, this.#open);
    }
    this.#open.push(work);
  }

  readonly #run = (works: readonly Work[]): void => {
    if (works === this.#open) this.#open = [];
    for (const work of works) work();
  };
}

/** Topics of the task and of its session. */
type ReplyTopics = readonly [string, string];

interface RecorderOptions {
  journal: Journal;
  log: Log;
  task_id: string;
  session_id: string;
}

/** Number of pending events above which the writer of a reply waits. */
const max_pending = 200;

/** Appends the events of one reply to the journal, in order. Events that arrive during an append go together. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #topics: ReplyTopics;
  readonly #next_turn: EventLoopBatches;
  readonly #take: () => ReplyEvent[];
  #busy = false;
  /** Callbacks for when all events are recorded. */
  #waiting: (() => void)[] = [];

  constructor(options: RecorderOptions, { next_turn, take }: { next_turn: EventLoopBatches; take: () => ReplyEvent[] }) {
    this.#options = options;
    this.#topics = topicsOf(options);
    this.#next_turn = next_turn;
    this.#take = take;
  }

  /** Records pending events; returns a promise to await if `waiting` events are too many. */
  record(waiting: number): Promise<void> | undefined {
    this.#begin();
    return waiting > max_pending ? this.settled() : undefined;
  }

  /** Resolves when all events are in the journal or were dropped. */
  settled(): Promise<void> {
    this.#begin();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Starts in the next turn of the event loop, so that the deltas of one network chunk go together. */
  #begin(): void {
    if (this.#busy) return;
    this.#busy = true;
    this.#next_turn.add(this.#drain);
  }

  /** Avoids an awaiting loop, because this runs for each delta of all replies. */
  readonly #drain = (): void => {
    const events = this.#take();
    if (events.length > 0) {
      void append(this.#options, events, this.#topics).then(this.#drain);
      return;
    }
    this.#busy = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  };
}

/**
 * Appends events to the topics of task and session. A fault is only logged: the text is in the database, from which readers with a gap
 * take it.
 */
export async function append(options: RecorderOptions, events: readonly ReplyEvent[], topics = topicsOf(options)): Promise<void> {
  const { journal, log, task_id } = options;
  try {
    await journal.append(topics, events);
  } catch (fault) {
    // Append one by one, so that only the oversized event is missing.
    if (events.length > 1 && isFailure(fault) && fault.code === 'journal_entry_too_large') {
      for (const event of events) await append(options, [event], topics);
      return;
    }
    log.warn('Could not append events of a reply to the journal', { task_id, err: fault });
  }
}

/** Appends the last events of the task; `done` goes to the task's topic only. */
export async function appendLast(options: RecorderOptions, events: readonly ReplyEvent[]): Promise<void> {
  const { journal, log, task_id } = options;
  const done = events.filter(({ type }) => type === 'done');
  await append(
    options,
    events.filter(({ type }) => type !== 'done'),
  );
  try {
    await journal.append(taskTopic(task_id), done);
    await journal.end(taskTopic(task_id));
  } catch (fault) {
    log.warn('Could not append the end of a reply to the journal', { task_id, err: fault });
  }
}

function topicsOf({ task_id, session_id }: RecorderOptions): ReplyTopics {
  return [taskTopic(task_id), sessionTopic(session_id)];
}
