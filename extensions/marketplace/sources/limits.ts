/** Limit of a ZIP, as on the platform. */
export const max_bundle_bytes = 50 * 1024 * 1024;

/** Limits of the index of a mirror or a folder. */
export const max_index_bytes = 10 * 1024 * 1024;
export const max_index_items = 20_000;

/** Limit of one page of a platform's search results. */
export const max_page_bytes = 4 * 1024 * 1024;

/** Limit of one extension's detail from a platform, including its readme. */
export const max_detail_bytes = 2 * 1024 * 1024;

/** Limit of a source's search results. */
export const max_found = 1_000;

/** Limit of ZIPs in a folder without an index. */
export const max_folder_files = 2_000;

/** Time limits: a page of a search, which nobody waits for longer than five seconds; one extension; one download. */
export const page_ms = 4_500;
export const detail_ms = 10_000;
export const download_ms = 120_000;

/** Time limit for reading a whole index or a folder. */
export const listing_ms = 120_000;

/** Cache time of a source's data, and delay before a retry after a failure. */
export const fresh_ms = 60_000;
export const retry_ms = 5_000;
