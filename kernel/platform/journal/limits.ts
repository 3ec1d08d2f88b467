import { failures } from '../../contract/failure.js';

/** Limits of a journal. */
export interface JournalLimits {
  /** Limit of entries of a topic. Default 2,000. */
  entries: number;
  /** Limit of a topic's entries in bytes of JSON. Default 1 MiB. */
  bytes: number;
  /** Time after which a topic without appends and readers expires. Default 1 h. */
  idle_ms: number;
  /** Time after which an ended topic expires. Default 10 min. */
  ended_ms: number;
  /** Limit of topics in the memory driver; evicts the least recently used without readers. Default 20,000. */
  topics: number;
  /** Limit of all topics together in the memory driver, in bytes. Default 128 MiB. */
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

/** Limit of an entry, as JSON. */
export const MAX_ENTRY_BYTES = 64 * 1024;

export const fail = failures({
  journal_entry_too_large: 413,
  journal_topic_ended: 409,
});
