import { open } from 'node:fs/promises';
import { isFailure } from '../../kernel/contract/failure.js';
import { Archive } from '../../kernel/platform/bundles/archive.js';
import type { BundleEntry } from '../../kernel/platform/bundles/entries.js';
import type { ArchiveLimits } from '../../kernel/platform/bundles/limits.js';
import { packHint } from '../../kernel/platform/bundles/names.js';
import { Tally } from '../../kernel/platform/bundles/tally.js';
import { invalidExport } from './faults.js';

/** Limits of an export: larger than those of bundles, but below what ZIP64 is needed for. */
const limits: ArchiveLimits = {
  bytes: 4 * 1024 ** 3 - 1,
  entries: 65_534,
  unpacked_bytes: 32 * 1024 ** 3,
  free_bytes: 64 * 1024 * 1024,
};

/** A ZIP with an export. Each entry is checked as the platform checks bundles: paths, sizes, checksums, and the ratio of compression. */
export class ExportZip {
  readonly entries: ReadonlyMap<string, BundleEntry>;
  readonly #archive: Archive;
  readonly #name: string;

  private constructor(archive: Archive, name: string) {
    this.#archive = archive;
    this.#name = name;
    this.entries = new Map(archive.entries.filter(({ isFolder }) => !isFolder).map((entry) => [entry.path, entry]));
  }

  /** Opens a ZIP. Fails with `import_invalid` if it is damaged, unsafe or too large. */
  static async open(path: string, signal: AbortSignal): Promise<ExportZip> {
    return refused(path, async () => new ExportZip(await Archive.open(path, signal, limits), path));
  }

  /** Returns the content of an entry. Fails with `import_invalid` if it has more bytes than the limit, or is damaged. */
  async read(entry: BundleEntry, max_bytes: number): Promise<Buffer> {
    if (entry.bytes > max_bytes)
      throw invalidExport(`${this.#name} can't be imported: ${entry.path} has ${entry.bytes} bytes; the limit is ${max_bytes}`);
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(entry)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Yields the content of an entry. Entries may be read again, so the limit of all together counts for each reading. */
  async *pieces(entry: BundleEntry): AsyncGenerator<Buffer> {
    const content = this.#archive.content(entry, new Tally(this.#archive.bytes, limits));
    for (;;) {
      const { value, done } = await refused(this.#name, () => content.next());
      if (done === true) return;
      yield value as Buffer;
    }
  }

  close(): Promise<void> {
    return this.#archive.close();
  }
}

/** Returns whether a file begins as ZIP files do. */
export async function isZip(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (!file) return false;
  try {
    const start = Buffer.alloc(4);
    await file.read(start, 0, 4, 0);
    return start.toString('latin1', 0, 2) === 'PK';
  } finally {
    await file.close();
  }
}

/** Says of a refused ZIP that it is an export, because the reader's sentences are about bundles. */
async function refused<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    if (!isFailure(fault) || !fault.code.startsWith('bundle_')) throw fault;
    const reason = fault.message
      .replace(packHint, '')
      .replaceAll('The bundle', 'The archive')
      .replaceAll('the bundle', 'the archive')
      .trim();
    throw invalidExport(`${path} can't be imported: ${reason.replace(/\.$/, '')}. Nothing was changed`);
  }
}
