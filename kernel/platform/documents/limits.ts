/** Limits of the text of one document. */
export const max_characters = 5_000_000;
export const max_pages = 20_000;
export const max_headings = 1_000;
export const title_length = 200;

/** Length at which text without pages of its own is cut. */
export const page_length = 3_000;

/** Limit of what a process may answer, with all characters escaped. */
export const answer_bytes = 36 * 1024 * 1024;

/** Limit of reading one document, from the start of its process. */
export const reading_limit_ms = 60_000;

/** Limits of a process's heap, and of its memory beside it: the document, unpacked streams, threads. */
export const memory_mb = 512;
export const beside_heap_mb = 384;

/** Limits of documents that are read at once, and of those that wait. */
export const max_reading = 2;
export const max_waiting = 32;

/** Limit of the parts of an Office document. */
export const max_parts = 10_000;
