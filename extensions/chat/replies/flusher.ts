import type { Clock, Database, Log } from '../../../kernel/contract/index.js';
import type { Messages } from '../store/messages-sql.js';
import type { Reply } from './reply.js';

interface FlusherOptions {
  db: Database;
  messages: Messages;
  clock: Clock;
  log: Log;
}

/** Interval of writes. A killed process may lose 500 ms of text: half of it here, the rest during the write. */
const every_ms = 250;
/** Characters that trigger a write at once. At most 4 KiB may be lost, and a character has up to four bytes. */
const flush_characters = 1_024;

/** Stores the text of active replies, many of them in one transaction. */
export class Flusher {
  readonly #options: FlusherOptions;
  readonly #changed = new Set<Reply>();
  /** Stored tool calls of each reply, to skip unchanged ones: they may have hundreds of kilobytes. */
  readonly #tool_calls = new WeakMap<Reply, string>();
  #timer: NodeJS.Timeout | undefined;
  #current: Promise<void> | undefined;

  constructor(options: FlusherOptions) {
    this.#options = options;
  }

  changed(reply: Reply): void {
    this.#changed.add(reply);
    if (reply.unstored >= flush_characters && !this.#current) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), every_ms).unref();
  }

  /** Stores all changes so far. Fails if the database does. */
  async flush(): Promise<void> {
    // Text of a failed write is part of the next one.
    await this.#current?.catch(() => undefined);
    // One of the waiting callers starts the next write for all of them.
    if (this.#changed.size > 0 && !this.#current) await this.#store();
    else await this.#current;
  }

  /** Stops storing a reply, whose end stores the rest. Waits for a running write. */
  async forget(reply: Reply): Promise<void> {
    this.#changed.delete(reply);
    await this.#current?.catch(() => undefined);
    this.#changed.delete(reply);
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#current || this.#changed.size === 0) return;
    this.#store().catch((fault: unknown) => this.#options.log.warn('Could not store the text of replies; retrying', { err: fault }));
  }

  /** Starts a write. Call it only if none is running. */
  #store(): Promise<void> {
    const replies = [...this.#changed];
    this.#changed.clear();
    this.#current = this.#write(replies)
      .catch((fault: unknown) => {
        for (const reply of replies) this.#changed.add(reply);
        throw fault;
      })
      .finally(() => {
        this.#current = undefined;
        if (this.#changed.size > 0) this.#timer ??= setTimeout(() => this.#start(), every_ms).unref();
      });
    return this.#current;
  }

  async #write(replies: readonly Reply[]): Promise<void> {
    const { db, messages, clock } = this.#options;
    const now = clock.iso();
    const states = replies.map((reply) => ({ reply, id: reply.ids.message_id, addition: reply.addition() }));
    const changes = states.map(({ reply, id, addition }) => {
      const { tool_calls, ...rest } = addition;
      return { id, addition: { ...rest, tool_calls: tool_calls === this.#tool_calls.get(reply) ? null : tool_calls } };
    });
    await db.transaction(() => messages.add(changes, now));
    for (const { reply, addition } of states) {
      reply.added(addition);
      this.#tool_calls.set(reply, addition.tool_calls);
    }
  }
}
