import { failures } from '../../contract/failure.js';

/** How much a journal keeps. */
export interface JournalLimits {
  /** Entries of a topic. Default 2,000. */
  entries: number;
  /** Bytes of a topic's entries, as JSON. Default 1 MiB. */
  bytes: number;
  /** A topic to which nothing is appended, and that nobody follows, is forgotten after it. Default 1 h. */
  idle_ms: number;
  /** An ended topic is forgotten after it. Default 10 min. */
  ended_ms: number;
  /** Topics, in the memory driver; the longest unused without a reader is forgotten first. Default 20,000. */
  topics: number;
  /** Bytes of all topics together, in the memory driver. Default 128 MiB. */
  total_bytes: number;
}

export const defaultLimits: JournalLimits = {
  entries: 2_000,
  bytes: 1024 * 1024,
  idle_ms: 60 * 60_000,
  ended_ms: 10 * 60_000,
  topics: 20_000,
  total_bytes: 128 * 1024 * 1024,
};

/** The largest entry, as JSON. */
export const MAX_ENTRY_BYTES = 64 * 1024;

export const fail = failures({
  journal_entry_too_large: 413,
  journal_topic_ended: 409,
});
