import type { Clock, Database, Log } from '../../../kernel/contract/index.js';
import type { Messages } from '../store/messages-sql.js';
import type { Reply } from './reply.js';

interface FlusherOptions {
  db: Database;
  messages: Messages;
  clock: Clock;
  log: Log;
}

/** A kill may cost 500 ms of text: half of it here, the rest for the write itself. */
const every_ms = 250;
/** Characters stored at once. The promise is 4 KiB, and a character may have four bytes. */
const many = 1_024;

/** Stores the text of all replies that are being written: many of them in one transaction. */
export class Flusher {
  readonly #options: FlusherOptions;
  readonly #changed = new Set<Reply>();
  /** The tool calls of a reply as they are stored: many hundred kilobytes, which change seldom. */
  readonly #tool_calls = new WeakMap<Reply, string>();
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> | undefined;

  constructor(options: FlusherOptions) {
    this.#options = options;
  }

  changed(reply: Reply): void {
    this.#changed.add(reply);
    if (reply.unstored >= many && !this.#turn) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), every_ms).unref();
  }

  /** Stores what has changed until now. Fails where the database does. */
  async flush(): Promise<void> {
    // Text that a failed write could not store is part of the next one.
    await this.#turn?.catch(() => undefined);
    // One of the waiting callers starts the next write, for all of them.
    if (this.#changed.size > 0 && !this.#turn) await this.#store();
    else await this.#turn;
  }

  /** Nothing more is stored of it here: whoever ends it stores the rest. Waits for a write under way. */
  async forget(reply: Reply): Promise<void> {
    this.#changed.delete(reply);
    await this.#turn?.catch(() => undefined);
    this.#changed.delete(reply);
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#turn || this.#changed.size === 0) return;
    this.#store().catch((fault: unknown) => this.#options.log.warn('The text of replies could not be stored; tried again', { err: fault }));
  }

  /** Only where no write is under way. */
  #store(): Promise<void> {
    const replies = [...this.#changed];
    this.#changed.clear();
    this.#turn = this.#write(replies)
      .catch((fault: unknown) => {
        for (const reply of replies) this.#changed.add(reply);
        throw fault;
      })
      .finally(() => {
        this.#turn = undefined;
        if (this.#changed.size > 0) this.#timer ??= setTimeout(() => this.#start(), every_ms).unref();
      });
    return this.#turn;
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
