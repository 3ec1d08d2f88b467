import type { Journal, Log } from '../../kernel/contract/index.js';
import { type ReplyEvent, sessionTopic, taskTopic } from './topics.js';

interface RecorderOptions {
  journal: Journal;
  log: Log;
  task_id: string;
  session_id: string;
}

/** So many events, handed in at once, that the writer of a reply waits. */
const crowded = 200;

/** Brings the events of one reply into the journal, in order: what piles up meanwhile goes together. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #take: () => ReplyEvent[];
  #turn: Promise<void> | undefined;

  constructor(options: RecorderOptions, take: () => ReplyEvent[]) {
    this.#options = options;
    this.#take = take;
  }

  /** Records what there is; a promise to wait for where `waiting` events are too many. */
  record(waiting: number): Promise<void> | undefined {
    this.#turn ??= this.#drain();
    return waiting > crowded ? this.#turn : undefined;
  }

  /** Everything that was handed in is in the journal, or was given up. */
  async settled(): Promise<void> {
    while (this.#turn) await this.#turn;
    await this.#drain();
  }

  async #drain(): Promise<void> {
    // Lets the deltas of one chunk from the network come together.
    await new Promise((resolve) => setImmediate(resolve));
    for (let events = this.#take(); events.length > 0; events = this.#take()) await append(this.#options, events);
    this.#turn = undefined;
  }
}

/**
 * Appends events to the topics of task and session. A fault is logged and no more: the text is in the
 * database, and readers who see that events are missing take it from there.
 */
export async function append({ journal, log, task_id, session_id }: RecorderOptions, events: readonly ReplyEvent[]): Promise<void> {
  const forSession = events.filter(({ type }) => type !== 'done');
  const appends = [
    journal.append(taskTopic(task_id), events),
    ...(forSession.length > 0 ? [journal.append(sessionTopic(session_id), forSession)] : []),
  ];
  for (const outcome of await Promise.allSettled(appends)) {
    if (outcome.status === 'rejected')
      log.warn('Events of a reply could not be appended to the journal', { task_id, err: outcome.reason as unknown });
  }
}

/** The same, as the last events of the task. */
export async function appendLast(options: RecorderOptions, events: readonly ReplyEvent[]): Promise<void> {
  await append(options, events);
  await options.journal.end(taskTopic(options.task_id)).catch((fault: unknown) => {
    options.log.warn('A topic of the journal could not be ended', { task_id: options.task_id, err: fault });
  });
}
