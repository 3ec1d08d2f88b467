/** One entry of a topic, in order. */
export interface Entry {
  /** Opaque: `<topic>.<epoch>.<n>`. */
  cursor: string;
  type: string;
  data: object;
}

/** Given first where a reader's cursor can't be continued from: too old, ahead, or of another epoch. */
export interface Gap {
  type: 'gap';
  /**
   * The oldest position from which everything is kept; the follow goes on after it, so nothing is
   * missed whenever the reader takes its snapshot. What follows may be in the snapshot already: the
   * reader drops it by a count of its own, or follows anew from a cursor that it stored with the snapshot.
   */
  cursor: string;
}

export interface FollowOptions {
  /** Continue after this cursor. Left out: from the topic's first entry, with a gap first if it is no longer there. */
  after?: string | undefined;
  /** Ends the iteration. */
  signal?: AbortSignal | undefined;
}

/**
 * The record of what happened, in order, by topic. It is transport: bounded in entries and time, gone with a
 * restart of the memory driver; SQL holds whatever was acknowledged.
 */
export interface Journal {
  /**
   * Appends to a topic, all entries or none; gives the cursor after the last. Of several topics each gets the
   * same entries, and the cursor is the first one's; the text of an entry is kept once. At most 64 KiB of JSON an
   * entry (`journal_entry_too_large`); not after `end` (`journal_topic_ended`). With Redis away it waits
   * 5 s and fails with `bus_unavailable`, as `head`, `end` and the start of a `follow` do. A topic keeps
   * 2,000 entries or 1 MiB, for an hour after its last use.
   */
  append(topics: string | readonly [string, ...string[]], entries: readonly { type: string; data: object }[]): Promise<string>;
  /** The cursor after the topic's last entry (also for a topic that has none yet). */
  head(topic: string): Promise<string>;
  /**
   * The entries after a cursor, and then those to come, until `signal` aborts or the topic ends. A gap
   * comes first, or in between when the reader fell behind what the topic keeps. Entries are shared by
   * readers: don't change them. Once begun, a follow outlasts a Redis that is away, and goes on by itself.
   */
  follow(topic: string, options?: FollowOptions): AsyncIterable<Entry | (Gap & { data?: undefined })>;
  /** Nothing more will be appended: readers end after the last entry; the topic is forgotten ten minutes later. */
  end(topic: string): Promise<void>;
}

/** Messages between the instances of one installation; at most once, nothing kept. */
export interface Bus {
  /** At most 1 MiB of JSON (`bus_message_too_large`); fails with `bus_unavailable` where the bus is away for 5 s. */
  publish(channel: string, message: object): Promise<void>;
  /** Gives a function that ends the subscription. A handler's own messages reach it too. */
  subscribe(channel: string, handler: (message: never) => void): Promise<() => Promise<void>>;
  /**
   * Asks all instances and gives the first answer that isn't undefined, or undefined where nobody had
   * one within `timeout_ms`; at once where nobody answers on that channel.
   */
  request(channel: string, message: object, timeout_ms: number): Promise<object | undefined>;
  /** Answers requests on a channel. */
  respond(channel: string, handler: (message: never) => Promise<object | undefined>): Promise<() => Promise<void>>;
}
