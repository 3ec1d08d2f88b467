import type { Entry, Journal } from '../../../contract/journal.js';

export interface FeedStart {
  /** Cursor to continue from. */
  cursor: string;
  /** Whether that is the client's own position. */
  resumed: boolean;
  /** Whether entries in between may be missing. */
  gap: boolean;
}

export interface FeedReader {
  /** `late`: it was stored before the feed was opened or while the reader was full. A returned promise is awaited. */
  entry(entry: Entry, late: boolean): void | Promise<void>;
  /** Called if entries were missed: the client must reload; entries after the cursor follow. */
  gap(cursor: string): void;
  /** Whether to pause until `resume()`. */
  readonly full: boolean;
}

type Items = AsyncIterator<Entry | { type: 'gap'; cursor: string; data?: undefined }>;

/** Reads the stored frames of a member for one socket, at its own pace and from its own position. */
export class Feed {
  readonly #journal: Journal;
  readonly #topic: string;
  readonly #abort = new AbortController();
  #items: Items | undefined;
  #first: Entry | undefined;
  /** Cursor of the last entry that was read. */
  #position = '';
  /** Cursor of the last late entry; undefined if none is left. */
  #late_until: string | undefined;
  #resume: (() => void) | undefined;
  #closed = false;

  constructor(journal: Journal, topic: string) {
    this.#journal = journal;
    this.#topic = topic;
  }

  /** Positions the feed after a cursor. An expired cursor is a gap. */
  async open(after: string | undefined): Promise<FeedStart> {
    const head = await this.#journal.head(this.#topic);
    this.#position = after ?? head;
    if (after === undefined || after === head) {
      this.#items = this.#follow(head);
      return { cursor: head, resumed: after !== undefined, gap: false };
    }
    // There is an entry after the cursor, or a gap, so this doesn't wait.
    this.#items = this.#follow(after);
    const { value, done } = await this.#items.next();
    if (done || value.data === undefined) return { cursor: await this.#restart(), resumed: false, gap: true };
    this.#first = value;
    this.#late_until = head;
    return { cursor: after, resumed: true, gap: false };
  }

  /** Passes on all entries until `close()`. */
  async run(reader: FeedReader): Promise<void> {
    if (this.#first) await this.#pass(this.#first, reader);
    this.#first = undefined;
    while (this.#items && !this.#closed) {
      if (reader.full) await this.#pause();
      const { value, done } = await this.#items.next();
      if (done) return;
      if (value.data === undefined) reader.gap(await this.#restart());
      else {
        // Awaiting nothing would cost each of a room's sockets a further step for each frame.
        const passed = this.#pass(value, reader);
        if (passed) await passed;
      }
    }
  }

  #pass(entry: Entry, reader: FeedReader): void | Promise<void> {
    const late = this.#late_until !== undefined;
    if (entry.cursor === this.#late_until) this.#late_until = undefined;
    this.#position = entry.cursor;
    return reader.entry(entry, late);
  }

  /** Waits until the reader can take more. Entries stored meanwhile are late. */
  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => (this.#resume = resolve));
    if (this.#closed) return;
    const head = await this.#journal.head(this.#topic);
    if (head !== this.#position) this.#late_until = head;
  }

  resume(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  close(): void {
    this.#closed = true;
    this.#abort.abort();
    this.resume();
  }

  /** Continues from the head: after a gap the client reloads, which covers everything up to now. */
  async #restart(): Promise<string> {
    await this.#items?.return?.();
    const head = await this.#journal.head(this.#topic);
    this.#position = head;
    this.#late_until = undefined;
    this.#items = this.#follow(head);
    return head;
  }

  #follow(after: string): Items {
    return this.#journal.follow(this.#topic, { after, signal: this.#abort.signal })[Symbol.asyncIterator]();
  }
}
