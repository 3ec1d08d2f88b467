import type { Journal } from '../../contract/journal.js';

/** The journal as the platform uses it. */
export interface PlatformJournal extends Journal {
  /**
   * Appends entries to those of many topics that exist and have not ended. Creates no topic and prolongs the life of none. A reader of one of
   * the topics gets the entries, or a gap if the topic was lost. If it fails, some topics may have the entries; the others get a gap.
   */
  appendExisting(topics: readonly string[], entries: readonly { type: string; data: object }[]): Promise<void>;
}
