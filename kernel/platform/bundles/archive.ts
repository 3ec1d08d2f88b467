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
import { type ArchiveLimits, bundle_limits } from './limits.js';
import { Names } from './names.js';
import { readTail } from './tail.js';
import { Tally } from './tally.js';

/** An open ZIP file whose directory has been read and checked. */
export class Archive {
  readonly entries: readonly BundleEntry[];
  /** Paths of junk files that programs left behind; not in {@link entries}. */
  readonly left_out: readonly string[];
  /** Size of the ZIP. */
  readonly bytes: number;
  readonly #file: FileHandle;
  readonly #zip: ZipFile;
  readonly #signal: AbortSignal;

  /**
   * Opens a ZIP and checks everything that needs no decompression: limits, layout and names.
   *
   * @throws any of the codes that begin with `bundle_`
   */
  static async open(path: string, signal: AbortSignal, limits: ArchiveLimits = bundle_limits): Promise<Archive> {
    const file = await openPlain(path);
    try {
      return await Archive.#read(file, signal, limits);
    } catch (fault) {
      await file.close();
      throw fault;
    }
  }

  static async #read(file: FileHandle, signal: AbortSignal, limits: ArchiveLimits): Promise<Archive> {
    const { size } = await file.stat();
    if (size > limits.bytes) throw fail('bundle_too_large', `The bundle has ${size} bytes; at most ${limits.bytes} are taken`);
    const tail = await readTail(file, size, limits.entries);
    const zip = await openZip(file);
    const entries = await readEntries(zip, signal, limits);
    const listed = entries.reduce((sum, { raw }) => sum + 46 + raw.fileNameLength + raw.extraFieldLength + raw.fileCommentLength, 0);
    if (listed !== tail.end - tail.start) throw fail('bundle_stray_bytes', "The ZIP's directory has bytes that belong to no entry");
    const extents: Extent[] = [];
    for (const entry of entries) extents.push(await extentOf(zip, entry, signal));
    await assertFilled(file, extents, tail.start);
    assertMeasured(entries, new Tally(size, limits));
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

  /** Yields the decompressed content of a file in pieces. Reaching the end means that it is complete. */
  async *content(entry: BundleEntry, tally?: Tally): AsyncGenerator<Buffer> {
    const stream = await asBundleFailure(() => this.#zip.openReadStreamPromise(entry.raw, { decodeFileData: false }));
    yield* inflated(stream, { entry, tally, signal: this.#signal });
  }

  /** Returns `sha256:` and the hex digest of the ZIP's bytes. */
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
  // Non-blocking, because opening a pipe without a writer would wait.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
    throw fail('bundle_unreadable', `There is no readable file ${path}`, { cause });
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw fail('bundle_unreadable', `${path} is not a file`);
}

async function openZip({ fd }: FileHandle): Promise<ZipFile> {
  const { fromFdPromise } = await import('yauzl');
  // We check names and sizes ourselves, each with its own code.
  return asBundleFailure(async () => {
    const zip = await fromFdPromise(fd, { autoClose: false, decodeStrings: false, validateEntrySizes: false });
    zip.on('error', () => undefined);
    return zip;
  });
}

async function readEntries(zip: ZipFile, signal: AbortSignal, limits: ArchiveLimits): Promise<BundleEntry[]> {
  const names = new Names(limits.entries);
  const entries: BundleEntry[] = [];
  await asBundleFailure(async () => {
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
  const local = await asBundleFailure(() => zip.readLocalFileHeaderPromise(entry.raw));
  assertAgrees(entry, local);
  return { entry, start, end: local.fileDataStart + entry.raw.compressedSize };
}

/** Fails early if the directory itself declares too much. Decompression later checks whether the directory is true. */
function assertMeasured(entries: readonly BundleEntry[], tally: Tally): void {
  for (const { bytes } of entries) tally.add(bytes);
}

/** Converts errors of yauzl to failures: they always mean a damaged file. */
async function asBundleFailure<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    if (isFailure(fault) || signal?.aborted) throw fault;
    const message = fault instanceof Error ? fault.message : String(fault);
    if (/encryption/.test(message)) throw fail('bundle_encrypted', 'The bundle is encrypted: pack it without a password', { cause: fault });
    throw fail('bundle_damaged', `The ZIP is damaged: ${message}`, { cause: fault });
  }
}
