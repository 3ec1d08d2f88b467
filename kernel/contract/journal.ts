/** One entry of a topic, in order. */
export interface Entry {
  /** Opaque: `<topic>.<epoch>.<n>`. */
  cursor: string;
  type: string;
  data: object;
}

/** Tells a reader that entries after its cursor are missing, because the cursor is too old, in the future, or of another epoch. */
export interface Gap {
  type: 'gap';
  /**
   * The oldest cursor after which the topic still has every entry; the follow continues there. The reader now reads a snapshot from the
   * database. Entries that follow may be in that snapshot already: the reader skips them by a count of its own, or follows again from a
   * cursor that it has stored with the snapshot.
   */
  cursor: string;
}

export interface FollowOptions {
  /** Cursor after which to continue. Default: the topic's first entry, preceded by a gap if that was removed. */
  after?: string | undefined;
  /** Ends the iteration. */
  signal?: AbortSignal | undefined;
}

/**
 * A record of what happened, in order, by topic. It is transport, not storage: bounded by number and time, and with the memory driver empty
 * after a restart. The database holds everything that was acknowledged.
 */
export interface Journal {
  /**
   * Appends entries to one or more topics, all or none; returns the cursor after the last entry, in the first topic. Several topics share
   * the text of an entry. A topic keeps 2,000 entries or 1 MiB, for an hour after its last use.
   *
   * Fails with `journal_entry_too_large` beyond 64 KiB of JSON for an entry, with `journal_topic_ended` after {@link end}, and with
   * `bus_unavailable` if Redis is unreachable for 5 s; the latter also applies to `head`, `end` and the start of `follow`.
   */
  append(topics: string | readonly [string, ...string[]], entries: readonly { type: string; data: object }[]): Promise<string>;
  /** Returns the cursor after the topic's last entry, also for a topic without entries. */
  head(topic: string): Promise<string>;
  /**
   * Yields the entries after a cursor and then each new one, until `signal` aborts or the topic ends. Yields a gap first if the cursor is
   * unusable, and later if the reader is too slow for what the topic keeps. Readers share entries: don't change them. Once started, a
   * follow survives an outage of Redis.
   */
  follow(topic: string, options?: FollowOptions): AsyncIterable<Entry | (Gap & { data?: undefined })>;
  /** Ends a topic: nothing more can be appended, readers end after the last entry, and the topic is removed ten minutes later. */
  end(topic: string): Promise<void>;
}

/** Messages between the instances of one installation. Each is delivered at most once and never stored. */
export interface Bus {
  /**
   * Sends a message to all instances. Fails with `bus_message_too_large` beyond 1 MiB of JSON, and with `bus_unavailable` if Redis is
   * unreachable for 5 s.
   */
  publish(channel: string, message: object): Promise<void>;
  /** Calls the handler for each message, also for those of this instance; returns the function that unsubscribes. */
  subscribe(channel: string, handler: (message: never) => void): Promise<() => Promise<void>>;
  /**
   * Asks all instances and returns the first answer that isn't undefined; undefined if none arrives within `timeout_ms`, and at once if no
   * instance responds on that channel.
   */
  request(channel: string, message: object, timeout_ms: number): Promise<object | undefined>;
  /** Answers requests on a channel; undefined means no answer. Returns the function that stops answering. */
  respond(channel: string, handler: (message: never) => Promise<object | undefined>): Promise<() => Promise<void>>;
}
