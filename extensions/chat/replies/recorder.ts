import { isFailure, type Journal, type Log } from '../../../kernel/contract/index.js';

/** The journal topic of a task: all events of one reply. */
export const taskTopic = (task_id: string): string => `task:${task_id}`;

/** The journal topic of a session: the events of all its replies, and the messages that people send. */
export const sessionTopic = (session_id: string): string => `session:${session_id}`;

/** The part of a journal entry that names the reply and the position in it. */
export interface EventData {
  /** Rises by one with each event of a message. */
  seq: number;
  task_id: string | null;
  message_id: string;
  [field: string]: unknown;
}

export interface ReplyEvent {
  type: string;
  data: EventData;
}

/** So much is done before what follows from it, as far as its reader's socket: text doesn't wait for that of hundreds of others. */
const portion = 32;

type Work = () => void;

/**
 * Does in the next turn of the loop what was asked for in this one, in portions. With hundreds of replies at a time an
 * immediate for each piece of text would cost more than what is done in it.
 */
export class NextTurn {
  /** The portion that still takes more. */
  #open: Work[] = [];

  /** `work` must not throw. */
  add(work: Work): void {
    if (this.#open.length === 0 || this.#open.length >= portion) {
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

/** Number of events handed in at once after which the writer of a reply waits. */
const crowded = 200;

/** Brings the events of one reply into the journal, in order: what piles up meanwhile goes together. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #topics: ReplyTopics;
  readonly #next_turn: NextTurn;
  readonly #take: () => ReplyEvent[];
  #busy = false;
  /** Those who wait until there is nothing left to record. */
  #waiting: (() => void)[] = [];

  constructor(options: RecorderOptions, { next_turn, take }: { next_turn: NextTurn; take: () => ReplyEvent[] }) {
    this.#options = options;
    this.#topics = topicsOf(options);
    this.#next_turn = next_turn;
    this.#take = take;
  }

  /** Records what there is; a promise to wait for where `waiting` events are too many. */
  record(waiting: number): Promise<void> | undefined {
    this.#begin();
    return waiting > crowded ? this.settled() : undefined;
  }

  /** Everything that was handed in is in the journal, or was given up. */
  settled(): Promise<void> {
    this.#begin();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** In the next turn of the loop: the deltas of one chunk from the network come together. */
  #begin(): void {
    if (this.#busy) return;
    this.#busy = true;
    this.#next_turn.add(this.#drain);
  }

  /** Without a loop that awaits: this runs for each delta of all replies. */
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
 * Appends events to the topics of task and session. A fault is logged and no more: the text is in the
 * database, and readers who see that events are missing take it from there.
 */
export async function append(options: RecorderOptions, events: readonly ReplyEvent[], topics = topicsOf(options)): Promise<void> {
  const { journal, log, task_id } = options;
  try {
    await journal.append(topics, events);
  } catch (fault) {
    // Only the one that is too large is missing then.
    if (events.length > 1 && isFailure(fault) && fault.code === 'journal_entry_too_large') {
      for (const event of events) await append(options, [event], topics);
      return;
    }
    log.warn('Events of a reply could not be appended to the journal', { task_id, err: fault });
  }
}

/** The same, as the last events of the task; `done` is its readers' alone. */
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
    log.warn('The end of a reply could not be told through the journal', { task_id, err: fault });
  }
}

function topicsOf({ task_id, session_id }: RecorderOptions): ReplyTopics {
  return [taskTopic(task_id), sessionTopic(session_id)];
}
