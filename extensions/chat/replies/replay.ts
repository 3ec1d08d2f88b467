import type { Entry, StreamEvent } from '../../../kernel/contract/index.js';
import type { Message, Task } from '../contract.js';
import type { Ports } from '../ports.js';
import type { EventData } from './recorder.js';

type ReplayPorts = Pick<Ports, 'messages' | 'tasks'>;

/** Events of changed messages. They have no position within a reply. */
const change_types = new Set(['message.edited', 'message.deleted', 'reaction']);
/** Events that show no text of a reply, and those whose message is read when they are shown. */
const harmless = new Set(['task.updated', 'node.awaited', 'message.completed', 'message.aborted', 'message.failed', 'snapshot', 'done']);

export function isChange({ type }: Entry): boolean {
  return change_types.has(type);
}

/** Returns the event of a changed message; an edited one comes with its current text. */
export async function changeOf({ cursor, type, data }: Entry, { messages }: Pick<Ports, 'messages'>): Promise<StreamEvent> {
  if (type !== 'message.edited') return { id: cursor, type, data };
  const message: Message | null = (await messages.readShared((data as EventData).message_id))?.message ?? null;
  return { id: cursor, type, data: { ...data, message } };
}

/** Replaces the titles of tasks whose message was edited or deleted after an entry with the task was written. */
export class TaskTitles {
  readonly #tasks: Ports['tasks'];
  readonly #titles = new Map<string, string>();

  /** `known`: tasks that were just read. */
  constructor({ tasks }: Pick<Ports, 'tasks'>, known: readonly Task[] = []) {
    this.#tasks = tasks;
    for (const { id, title } of known) this.#titles.set(id, title);
  }

  /** Returns the entry with the current title. Reads the task only if the title differs from the known one. */
  async review(entry: Entry): Promise<Entry> {
    const { task, ...data } = entry.data as { task?: Task };
    if (entry.type !== 'task.updated' || !task || this.#titles.get(task.id) === task.title) return entry;
    const title = (await this.#tasks.find(task.id))?.task.title ?? '';
    this.#titles.set(task.id, title);
    return { ...entry, data: { ...data, task: { ...task, title } } };
  }
}

/** Leaves out what was deleted since from the entries that a resumed stream of a session gets again. */
export class Replay {
  readonly #ports: ReplayPorts;
  readonly #titles: TaskTitles;
  readonly #until: string;
  readonly #deleted = new Map<string, boolean>();
  #isOver: boolean;

  /** `after` and `until`: cursors before the first and after the last entry of the replay. */
  constructor(ports: ReplayPorts, { after, until }: { after: string; until: string }) {
    this.#ports = ports;
    this.#titles = new TaskTitles(ports);
    this.#until = until;
    this.#isOver = after === until;
  }

  /** Ends the replay: after a gap everything is read from the database. */
  end(): void {
    this.#isOver = true;
  }

  /** Returns the entry as it may be shown now; undefined to leave it out. */
  async review(entry: Entry): Promise<Entry | undefined> {
    if (this.#isOver) return entry;
    if (entry.cursor === this.#until) this.#isOver = true;
    if (!harmless.has(entry.type) && !isChange(entry) && (await this.#isDeleted(entry.data as EventData))) return undefined;
    return this.#titles.review(entry);
  }

  async #isDeleted({ message_id }: EventData): Promise<boolean> {
    const known = this.#deleted.get(message_id);
    if (known !== undefined) return known;
    const deleted = ((await this.#ports.messages.readShared(message_id))?.message.deleted_at ?? null) !== null;
    this.#deleted.set(message_id, deleted);
    return deleted;
  }
}
