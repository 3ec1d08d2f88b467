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
  entry(entry: Entry): void;
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
  #resume: (() => void) | undefined;

  constructor(journal: Journal, topic: string) {
    this.#journal = journal;
    this.#topic = topic;
  }

  /** Positions the feed after a cursor. An expired cursor is a gap. */
  async open(after: string | undefined): Promise<FeedStart> {
    const head = await this.#journal.head(this.#topic);
    if (after === undefined || after === head) {
      this.#items = this.#follow(head);
      return { cursor: head, resumed: after !== undefined, gap: false };
    }
    // There is an entry after the cursor, or a gap, so this doesn't wait.
    this.#items = this.#follow(after);
    const { value, done } = await this.#items.next();
    if (done || value.data === undefined) return { cursor: await this.#restart(), resumed: false, gap: true };
    this.#first = value;
    return { cursor: after, resumed: true, gap: false };
  }

  /** Passes on all entries until `close()`. */
  async run(reader: FeedReader): Promise<void> {
    if (this.#first) reader.entry(this.#first);
    this.#first = undefined;
    while (this.#items && !this.#abort.signal.aborted) {
      if (reader.full) await new Promise<void>((resolve) => (this.#resume = resolve));
      const { value, done } = await this.#items.next();
      if (done) return;
      if (value.data === undefined) reader.gap(await this.#restart());
      else reader.entry(value);
    }
  }

  resume(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  close(): void {
    this.#abort.abort();
    this.resume();
  }

  /** Continues from the head: after a gap the client reloads, which covers everything up to now. */
  async #restart(): Promise<string> {
    await this.#items?.return?.();
    const head = await this.#journal.head(this.#topic);
    this.#items = this.#follow(head);
    return head;
  }

  #follow(after: string): Items {
    return this.#journal.follow(this.#topic, { after, signal: this.#abort.signal })[Symbol.asyncIterator]();
  }
}
