import type { Entry, Journal } from '../../../contract/journal.js';

export interface FeedStart {
  /** Where it goes on from. */
  cursor: string;
  /** Whether that is where the client was. */
  resumed: boolean;
  /** Whether something between may be missing. */
  gap: boolean;
}

export interface FeedReader {
  entry(entry: Entry): void;
  /** Something was missed: the client must read anew; what comes after the cursor follows. */
  gap(cursor: string): void;
  /** Whether nothing more shall be given until `resume()`. */
  readonly full: boolean;
}

type Items = AsyncIterator<Entry | { type: 'gap'; cursor: string; data?: undefined }>;

/** The kept frames of a member, as one socket reads them: in its own time, from where it was. */
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

  /** Finds the place of a cursor. One that can't be continued from is a gap. */
  async open(after: string | undefined): Promise<FeedStart> {
    const head = await this.#journal.head(this.#topic);
    if (after === undefined || after === head) {
      this.#items = this.#follow(head);
      return { cursor: head, resumed: after !== undefined, gap: false };
    }
    // There is something after the cursor, or a gap: it needn't be waited for.
    this.#items = this.#follow(after);
    const { value, done } = await this.#items.next();
    if (done || value.data === undefined) return { cursor: await this.#restart(), resumed: false, gap: true };
    this.#first = value;
    return { cursor: after, resumed: true, gap: false };
  }

  /** Gives all that comes, until `close()`. */
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

  /** What was missed is not worth giving: the client reads anew, and that holds all up to now. */
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
