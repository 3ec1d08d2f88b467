/** Longest side of a thumbnail, in pixels: crisp on a dense screen at a quarter of a phone's width. */
export const max_side = 512;

/** Pixel limit of images: a small file may contain one that exhausts memory. */
export const max_pixels = 50_000_000;

/** Limit of the bytes of a thumbnail; even noise needs less. */
export const answer_bytes = 1024 * 1024;

/** Limit of making one thumbnail, from the start of its process. */
export const limit_ms = 20_000;

/** Limits of a process's heap, and of its memory beside it: the image, and its pixels. */
export const memory_mb = 64;
export const beside_heap_mb = 512;

/** Memory that each thread of libvips reserves for compiled code, in MB. */
export const code_range_mb = 16;

/** Limits of images that are decoded at once, and of those that wait. */
export const max_at_once = 2;
export const max_waiting = 64;
