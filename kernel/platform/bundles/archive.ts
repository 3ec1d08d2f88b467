import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { ZipFile } from 'yauzl';
import { isFailure } from '../../contract/failure.js';
import { fail } from './codes.js';
import { assertAgrees, type BundleEntry, checkedEntry } from './entries.js';
import { inflated } from './inflate.js';
import { isJunk } from './junk-files.js';
import { assertFilled, type Extent } from './layout.js';
import { bundle_bytes } from './limits.js';
import { Names } from './names.js';
import { readTail } from './tail.js';
import { Tally } from './tally.js';

/** A ZIP file that is open, its directory read and checked. */
export class Archive {
  readonly entries: readonly BundleEntry[];
  /** Paths of what programs left behind; none of {@link entries}. */
  readonly left_out: readonly string[];
  /** Of the ZIP. */
  readonly bytes: number;
  readonly #file: FileHandle;
  readonly #zip: ZipFile;
  readonly #signal: AbortSignal;

  /**
   * Opens a ZIP and checks all that can be known without inflating: its limits, its layout, its names.
   *
   * @throws any of the codes that begin with `bundle_`
   */
  static async open(path: string, signal: AbortSignal): Promise<Archive> {
    const file = await openPlain(path);
    try {
      return await Archive.#read(file, signal);
    } catch (fault) {
      await file.close();
      throw fault;
    }
  }

  static async #read(file: FileHandle, signal: AbortSignal): Promise<Archive> {
    const { size } = await file.stat();
    if (size > bundle_bytes) throw fail('bundle_too_large', `The bundle has ${size} bytes; at most ${bundle_bytes} are taken`);
    const tail = await readTail(file, size);
    const zip = await openZip(file);
    const entries = await readEntries(zip, signal);
    const listed = entries.reduce((sum, { raw }) => sum + 46 + raw.fileNameLength + raw.extraFieldLength + raw.fileCommentLength, 0);
    if (listed !== tail.end - tail.start) throw fail('bundle_stray_bytes', "The ZIP's directory has bytes that belong to no entry");
    const extents: Extent[] = [];
    for (const entry of entries) extents.push(await extentOf(zip, entry, signal));
    await assertFilled(file, extents, tail.start);
    assertMeasured(entries, size);
    return new Archive({ file, zip, entries, bytes: size, signal });
  }

  private constructor(parts: { file: FileHandle; zip: ZipFile; entries: readonly BundleEntry[]; bytes: number; signal: AbortSignal }) {
    this.#file = parts.file;
    this.#zip = parts.zip;
    this.#signal = parts.signal;
    this.entries = parts.entries.filter(({ path }) => !isJunk(path));
    this.left_out = parts.entries.filter(({ path }) => isJunk(path)).map(({ path }) => path);
    this.bytes = parts.bytes;
  }

  /** The content of a file, in pieces, as it is inflated; at its end it is known to be whole. */
  async *content(entry: BundleEntry, tally?: Tally): AsyncGenerator<Buffer> {
    const stream = await guarded(() => this.#zip.openReadStreamPromise(entry.raw, { decodeFileData: false }));
    yield* inflated(stream, { entry, tally, signal: this.#signal });
  }

  /** `sha256:` and the hex digest of the ZIP's bytes. */
  async hash(): Promise<string> {
    const hash = createHash('sha256');
    const pieces = this.#file.createReadStream({ start: 0, end: Math.max(0, this.bytes - 1), autoClose: false, signal: this.#signal });
    for await (const piece of pieces) hash.update(piece as Buffer);
    return `sha256:${hash.digest('hex')}`;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

async function openPlain(path: string): Promise<FileHandle> {
  // A pipe without a writer would keep whoever opens it waiting.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
    throw fail('bundle_unreadable', `There is no readable file ${path}`, { cause });
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw fail('bundle_unreadable', `${path} is not a file`);
}

async function openZip({ fd }: FileHandle): Promise<ZipFile> {
  const { fromFdPromise } = await import('yauzl');
  // Names and sizes are checked here, each with its own code.
  return guarded(async () => {
    const zip = await fromFdPromise(fd, { autoClose: false, decodeStrings: false, validateEntrySizes: false });
    zip.on('error', () => undefined);
    return zip;
  });
}

async function readEntries(zip: ZipFile, signal: AbortSignal): Promise<BundleEntry[]> {
  const names = new Names();
  const entries: BundleEntry[] = [];
  await guarded(async () => {
    for await (const raw of zip.eachEntry()) {
      signal.throwIfAborted();
      const entry = checkedEntry(raw);
      names.take(entry.path);
      entries.push(entry);
    }
  }, signal);
  return entries;
}

async function extentOf(zip: ZipFile, entry: BundleEntry, signal: AbortSignal): Promise<Extent> {
  signal.throwIfAborted();
  const start = entry.raw.relativeOffsetOfLocalHeader;
  const local = await guarded(() => zip.readLocalFileHeaderPromise(entry.raw));
  assertAgrees(entry, local);
  return { entry, start, end: local.fileDataStart + entry.raw.compressedSize };
}

/** What is too much by the directory's own word is not begun with; whether it tells the truth shows while it is inflated. */
function assertMeasured(entries: readonly BundleEntry[], size: number): void {
  const tally = new Tally(size);
  for (const { bytes } of entries) tally.add(bytes);
}

/** What yauzl throws is no failure, but always the file's fault. */
async function guarded<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    if (isFailure(fault) || signal?.aborted) throw fault;
    const message = fault instanceof Error ? fault.message : String(fault);
    if (/encryption/.test(message)) throw fail('bundle_encrypted', 'The bundle is encrypted: pack it without a password', { cause: fault });
    throw fail('bundle_damaged', `The ZIP is damaged: ${message}`, { cause: fault });
  }
}
