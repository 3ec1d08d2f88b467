import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry, Gap, StreamEvent } from '../../../kernel/contract/index.js';
import type { Message } from '../contract.js';
import type { StoredMessage } from '../store/message-record.js';
import type { Messages } from '../store/messages-sql.js';
import type { EventData } from './recorder.js';

/** Time within which text from the journal is stored. */
const store_delay_ms = 2_000;
/** Messages whose position a reader remembers; older ones are final. */
const max_seen = 64;

/** Tracks the position of one reader in each reply, so that a snapshot and the events around it fit together exactly. */
export class View {
  readonly #messages: Messages;
  readonly #signal: AbortSignal;
  /** The last `seq` that the reader has of a message. A map, because an LRUCache would reserve its arrays for each of hundreds of readers. */
  readonly #seen = new Map<string, number>();

  constructor(messages: Messages, signal: AbortSignal) {
    this.#messages = messages;
    this.#signal = signal;
  }

  /** Starts a message from its beginning. */
  begin(message_id: string): void {
    this.#remember(message_id, 0);
  }

  /** Returns an event with the whole message so far. It has no cursor, because the covered events have their own. */
  snapshot({ message, seq }: StoredMessage): StreamEvent {
    this.#remember(message.id, seq);
    return { type: 'snapshot', data: { seq, task_id: message.task_id, message_id: message.id, message } };
  }

  /** Returns the event of a delta that directly follows the reader's position. Synchronous, because nearly all of a stream are such. */
  delta(item: Entry | Gap): StreamEvent | undefined {
    if (item.type !== 'message.delta') return undefined;
    const { cursor, type, data } = item as Entry;
    const { message_id, seq } = data as EventData;
    if (this.#seen.get(message_id) !== seq - 1) return undefined;
    this.#seen.set(message_id, seq);
    return { id: cursor, type, data };
  }

  /** Returns the events for an entry: none if a snapshot covered it, a snapshot first if earlier entries are missing. */
  async *show(entry: Entry): AsyncGenerator<StreamEvent> {
    const data = entry.data as EventData;
    const { message_id, seq } = data;
    const seen = this.#seen.get(message_id);
    if (entry.type !== 'snapshot' && seen !== undefined) {
      // Events with `seq` 0 may repeat while the task waits.
      if (seq <= seen && (seq > 0 || seen > 0)) return;
      if (seq > seen + 1) {
        const stored = await this.#storedUpTo(message_id, seq - 1);
        if (stored) yield this.snapshot(stored);
        if (stored && seq <= stored.seq) return;
      }
    }
    this.#remember(message_id, seq);
    yield { id: entry.cursor, type: entry.type, data: await this.#data(entry, data) };
  }

  async #data(entry: Entry, { joined_id, ...data }: EventData): Promise<EventData> {
    const carried = typeof joined_id === 'string' ? joined_id : carriesMessage(entry) ? data.message_id : undefined;
    return carried === undefined ? (data as EventData) : { ...(data as EventData), message: await this.#message(carried) };
  }

  has({ message, seq }: StoredMessage): boolean {
    return this.#seen.get(message.id) === seq;
  }

  #remember(message_id: string, seq: number): void {
    this.#seen.delete(message_id);
    this.#seen.set(message_id, seq);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > max_seen && oldest !== undefined) this.#seen.delete(oldest);
  }

  async #message(id: string): Promise<Message | null> {
    return (await this.#messages.readShared(id))?.message ?? null;
  }

  async #storedUpTo(id: string, seq: number): Promise<StoredMessage | undefined> {
    const tries = store_delay_ms / 100;
    for (let turn = 0; turn < tries && !this.#signal.aborted; turn += 1) {
      const stored = await this.#messages.readShared(id);
      if (!stored || stored.seq >= seq || stored.message.status !== 'streaming') return stored;
      await sleep(100);
    }
    return this.#messages.readShared(id);
  }
}

/** Returns whether the message is added when the entry is read, which keeps journal entries small. */
function carriesMessage({ type }: Entry): boolean {
  return type === 'snapshot' || type === 'message.completed' || type === 'message.aborted' || type === 'message.failed';
}

export function isGap(item: Entry | Gap): item is Gap {
  return item.type === 'gap';
}
