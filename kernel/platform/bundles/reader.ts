import type { Failure } from '../../contract/failure.js';
import { Archive } from './archive.js';
import { fail } from './codes.js';
import { type Content, type ContentRules, readContent } from './content.js';
import { Folder } from './folder.js';
import { reading_limit_ms } from './limits.js';
import { Tally } from './tally.js';

/** A bundle that has passed every check. */
export interface Bundle extends Content {
  /** Its files, in the order of their paths. */
  files: readonly BundleFile[];
  unpacked_bytes: number;
  /** `sha256:` and the hex digest of the ZIP's bytes, as `sha256sum` gives it. */
  content_hash: string;
  /** Paths of junk files in the ZIP; not in `files`. */
  left_out: readonly string[];
}

export interface BundleFile {
  /** Its path within the bundle, with slashes. */
  name: string;
  bytes: number;
}

export interface ReadOptions extends ContentRules {
  /** Expected hash, if the ZIP was checked before. */
  content_hash?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Time limit. Default 60,000. */
  limit_ms?: number | undefined;
}

/** The bundle, if it is valid, and all faults of its descriptive files. */
export interface Examination {
  bundle?: Bundle;
  faults: readonly Failure[];
}

/**
 * Reads and checks a whole ZIP file without writing anything. Holds only `manifest.json`, the readme and `SKILL.md` in
 * memory.
 *
 * @throws any code of `bundleCodes`, or the reason of the signal
 */
export async function check(file: string, options: ReadOptions = {}): Promise<Bundle> {
  return wholeOf(await examine(file, options));
}

/** Checks like {@link check}, but returns all faults of the descriptive files. Fails if the ZIP itself can't be read. */
export async function examine(file: string, options: ReadOptions = {}): Promise<Examination> {
  return reading(file, options, async (archive) => {
    const { content, faults } = await readContent(archive, options);
    const tally = new Tally(archive.bytes);
    for (const entry of archive.entries) for await (const _piece of archive.content(entry, tally));
    return finished(archive, { content, faults, tally, options });
  });
}

/**
 * Checks a ZIP file like {@link check}, and unpacks it into a new folder in an existing parent. The folder appears when it is
 * complete, and is read-only: files 0444, folders 0555. A failure leaves nothing behind. {@link removeFolder} removes it.
 *
 * @throws any code of `bundleCodes`, or the reason of the signal
 */
export async function unpack(file: string, folder: string, options: ReadOptions = {}): Promise<Bundle> {
  return reading(file, options, async (archive, signal) => {
    const { content, faults } = await readContent(archive, options);
    if (faults[0] !== undefined) throw faults[0];
    const target = await Folder.beside(folder);
    try {
      const tally = new Tally(archive.bytes);
      for (const entry of archive.entries) await target.write(entry, archive.content(entry, tally));
      const bundle = wholeOf(await finished(archive, { content, faults, tally, options }));
      signal.throwIfAborted();
      await target.publish();
      return bundle;
    } catch (fault) {
      await target.discard();
      throw fault;
    }
  });
}

interface Findings {
  content: Content | undefined;
  faults: readonly Failure[];
  tally: Tally;
  options: ReadOptions;
}

async function finished(archive: Archive, { content, faults, tally, options }: Findings): Promise<Examination> {
  const content_hash = await archive.hash();
  if (options.content_hash !== undefined && options.content_hash !== content_hash) {
    throw fail('bundle_hash_mismatch', `The bundle is not the one that was checked: it has ${content_hash}, not ${options.content_hash}`);
  }
  if (content === undefined) return { faults };
  const files = archive.entries.filter(({ isFolder }) => !isFolder).map(({ path, bytes }) => ({ name: path, bytes }));
  files.sort((one, other) => (one.name < other.name ? -1 : 1));
  const { left_out } = archive;
  return { bundle: { ...content, files, unpacked_bytes: tally.unpacked, content_hash, left_out }, faults };
}

function wholeOf({ bundle, faults }: Examination): Bundle {
  if (faults[0] !== undefined) throw faults[0];
  return bundle as Bundle;
}

async function reading<T>(file: string, options: ReadOptions, work: (archive: Archive, signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal: given, limit_ms = reading_limit_ms } = options;
  const late = AbortSignal.timeout(limit_ms);
  const signal = given === undefined ? late : AbortSignal.any([given, late]);
  try {
    const archive = await Archive.open(file, signal);
    try {
      return await work(archive, signal);
    } finally {
      await archive.close();
    }
  } catch (fault) {
    if (given?.aborted) throw given.reason;
    if (late.aborted) throw fail('bundle_timeout', `Reading the bundle took longer than ${limit_ms / 1000} s`, { cause: fault });
    throw fault;
  }
}
