/** A ZIP, as the platform takes it. */
export const bundle_bytes = 50 * 1024 * 1024;

/** The index of a mirror or a folder. */
export const index_bytes = 10 * 1024 * 1024;
export const index_items = 20_000;

/** One page of what a platform has found. */
export const page_bytes = 4 * 1024 * 1024;

/** One extension as a platform shows it, its readme included. */
export const detail_bytes = 2 * 1024 * 1024;

/** What a search gives of a source. */
export const found_items = 1_000;

/** ZIPs of a folder without an index. */
export const folder_files = 2_000;

/** One question to a source: a page of a search, which nobody waits for longer than five seconds, and one extension; and one download. */
export const page_ms = 4_500;
export const question_ms = 10_000;
export const download_ms = 120_000;

/** Reading a whole index, or a folder. */
export const listing_ms = 120_000;

/** How long what a source says is taken for true, and how long it is left alone when it has failed. */
export const fresh_ms = 60_000;
export const retry_ms = 5_000;
