/** Limit of the ZIP file. */
export const bundle_bytes = 50 * 1024 * 1024;

/** Limit of files and folders, including implied parents. */
export const bundle_entries = 2_000;

/** Limit of all files together, counted during decompression because headers may lie. */
export const unpacked_bytes = 200 * 1024 * 1024;

/** Limit of the ratio of unpacked bytes to the ZIP's size. */
export const unpacked_ratio = 100;

/** Limits of a ZIP file. */
export interface ArchiveLimits {
  /** Size of the file. */
  bytes: number;
  /** Files and folders, including implied parents. */
  entries: number;
  /** All files together. */
  unpacked_bytes: number;
  /** Unpacked bytes that are allowed whatever the ratio is: a small file of repeated text is no bomb. */
  free_bytes: number;
}

export const bundle_limits: ArchiveLimits = { bytes: bundle_bytes, entries: bundle_entries, unpacked_bytes, free_bytes: 0 };

/** Limit of `manifest.json`, including `contributes`. */
export const manifest_bytes = 1024 * 1024;

/** Limit of the readme. */
export const readme_bytes = 512 * 1024;

/** Limits of `SKILL.md`, and of its front matter. */
export const skill_bytes = 512 * 1024;
export const front_matter_bytes = 16 * 1024;

/** Limit of the main file, which is held in memory. */
export const main_bytes = 16 * 1024 * 1024;

/** Limits of a path and of each name in it, in bytes of UTF-8, and of its depth. */
export const path_bytes = 400;
export const name_bytes = 200;
export const path_depth = 20;

/** Limits of an entry's extra fields, and of the ZIP's comment. */
export const extra_bytes = 4_096;
export const comment_bytes = 1_024;

/** Time limit for reading a bundle. */
export const reading_limit_ms = 60_000;
