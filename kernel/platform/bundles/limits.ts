/** The ZIP file itself. */
export const bundle_bytes = 50 * 1024 * 1024;

/** Files and folders of a bundle, named ones and those above them. */
export const bundle_entries = 2_000;

/** All files together, counted while they are inflated: headers may lie. */
export const unpacked_bytes = 200 * 1024 * 1024;

/** Of what is unpacked to the bytes of the ZIP. */
export const unpacked_ratio = 100;

/** `manifest.json`, `contributes` included. */
export const manifest_bytes = 1024 * 1024;

/** The file that `readme` names. */
export const readme_bytes = 512 * 1024;

/** `SKILL.md`, and the front matter within it. */
export const skill_bytes = 512 * 1024;
export const front_matter_bytes = 16 * 1024;

/** The file that `main` names: the platform holds it as a whole. */
export const main_bytes = 16 * 1024 * 1024;

/** A path within a bundle, one name of it, both in bytes of UTF-8, and how many names it may have. */
export const path_bytes = 400;
export const name_bytes = 200;
export const path_depth = 20;

/** What an entry may carry beside its name. */
export const extra_bytes = 4_096;
export const comment_bytes = 1_024;

/** How long reading a bundle may take. */
export const reading_limit_ms = 60_000;
