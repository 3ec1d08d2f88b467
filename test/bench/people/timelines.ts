import { LRUCache } from 'lru-cache';

/** A message as far as people choose from it what they do. */
export interface Known {
  id: string;
  session_id: string;
  sender_id: number | null;
  /** First message of its thread; null outside of threads. */
  thread_id: string | null;
  /** The message that its text links to. */
  link: string | undefined;
  has_replies: boolean;
  emoji: Set<string>;
}

/** The fields of a message record that are read. */
export interface MessageRecord {
  id: string;
  session_id: string;
  sender_id: number | null;
  thread_id: string | null;
  content: string;
  reply_count: number;
  reactions: readonly { emoji: string }[];
  files: readonly { id: string }[];
}

/** Latest messages of a session to choose from. */
const max_known = 200;
const link = /\/pl\/([0-9a-f-]{36})/;

/** Latest messages of each session, shared by all people in the process: all of them receive the same. */
export class Timelines {
  readonly #sessions = new Map<string, Map<string, Known>>();
  readonly #sessionOf = new LRUCache<string, string>({ max: 10_000 });

  /** Returns the session of a message that is known. */
  sessionOf(id: string): string | undefined {
    return this.#sessionOf.get(id);
  }

  add({ id, session_id, sender_id, thread_id, content, reply_count, reactions }: MessageRecord): void {
    const known = this.#sessions.get(session_id) ?? new Map<string, Known>();
    this.#sessions.set(session_id, known);
    this.#sessionOf.set(id, session_id);
    const emoji = new Set(reactions.map((one) => one.emoji));
    known.set(id, { id, session_id, sender_id, thread_id, link: link.exec(content)?.[1], has_replies: reply_count > 0, emoji });
    const [oldest] = known.keys();
    if (known.size > max_known && oldest !== undefined) known.delete(oldest);
  }

  delete(session_id: string, id: string): void {
    this.#sessions.get(session_id)?.delete(id);
  }

  reacted(session_id: string, id: string, emoji: string): void {
    this.#sessions.get(session_id)?.get(id)?.emoji.add(emoji);
  }

  /** Returns any message of a session that fits. */
  any(session_id: string, fits: (known: Known) => boolean = () => true): Known | undefined {
    const found = [...(this.#sessions.get(session_id)?.values() ?? [])].filter(fits);
    return found[Math.floor(Math.random() * found.length)];
  }

  /** Returns the first message of any thread of a session. */
  anyThread(session_id: string): string | undefined {
    const found = this.any(session_id, ({ thread_id, has_replies }) => thread_id !== null || has_replies);
    return found && (found.thread_id ?? found.id);
  }

  lastLink(session_id: string): string | undefined {
    return [...(this.#sessions.get(session_id)?.values() ?? [])].findLast((known) => known.link !== undefined)?.link;
  }
}
