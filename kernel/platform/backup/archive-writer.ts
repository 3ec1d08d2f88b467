import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { type Pack, pack } from 'tar-stream';
import type { Entry } from '../data/archive.js';
import { type EntryRecord, hash_name, type Manifest, manifest_name } from './manifest.js';

export interface ArchiveOptions {
  file: string;
  /** Modification time of all entries, in ms since the epoch. */
  now: number;
  /** Aborts the writing. */
  signal: AbortSignal;
  /** Reports how many bytes of the entries' content have been added. */
  added?: ((bytes: number) => void) | undefined;
  /** Opens the file. Default: the system's own. */
  openFile?: typeof open;
}

export interface Written {
  bytes: number;
  /** Digest of the whole archive, in hex. */
  sha256: string;
}

/** Size of the writes to the file. */
const piece_bytes = 256 * 1024;

/** Writes a tar, entry by entry, and hashes each and the whole on the way. Its file has the mode 0600. */
export class ArchiveWriter {
  readonly #handle: FileHandle;
  readonly #options: ArchiveOptions;
  readonly #pack: Pack = pack();
  readonly #archiveHash: Hash = createHash('sha256');
  readonly #entries: EntryRecord[] = [];
  /** Resolves after the file's last byte; rejects with the first failed write. */
  readonly #drained: Promise<void>;
  #bytes = 0;
  #content_bytes = 0;
  /** The first write that failed. */
  #fault: unknown;
  /** Set once writing has failed. */
  #failure: { fault: unknown } | undefined;
  /** Rejects the current waiter; there is one at a time. */
  #rejectWaiter: (fault: unknown) => void = () => undefined;

  private constructor(handle: FileHandle, options: ArchiveOptions) {
    this.#handle = handle;
    this.#options = options;
    this.#drained = this.#drain();
    this.#drained.catch((fault: unknown) => {
      this.#failure = { fault };
      this.#rejectWaiter(fault);
    });
    this.#pack.on('error', () => undefined);
  }

  static async create(options: ArchiveOptions): Promise<ArchiveWriter> {
    return new ArchiveWriter(await (options.openFile ?? open)(options.file, 'wx', 0o600), options);
  }

  get entries(): readonly EntryRecord[] {
    return this.#entries;
  }

  async add(entry: Entry): Promise<void> {
    try {
      await this.#add(entry);
    } catch (fault) {
      // Packing also fails if the file can't be written; report that cause instead.
      throw this.#fault ?? fault;
    }
  }

  async #add({ name, bytes, content }: Entry): Promise<void> {
    const sha256 = createHash('sha256');
    const entry = this.#entry({ name, size: bytes });
    for await (const chunk of content) {
      this.#options.signal.throwIfAborted();
      sha256.update(chunk);
      await entry.write(chunk);
      this.#content_bytes += chunk.byteLength;
      this.#options.added?.(this.#content_bytes);
    }
    await entry.end();
    this.#entries.push({ name, bytes, sha256: sha256.digest('hex') });
  }

  /** Adds the manifest with the list of all entries, its hash, and the end. The file is then synced to the disk. */
  async finish(manifest: Omit<Manifest, 'entries'>): Promise<Written> {
    const text = Buffer.from(`${JSON.stringify({ ...manifest, entries: this.#entries })}\n`);
    const hash = Buffer.from(`${createHash('sha256').update(text).digest('hex')}\n`);
    await this.add({ name: manifest_name, bytes: text.byteLength, content: [text] });
    await this.add({ name: hash_name, bytes: hash.byteLength, content: [hash] });
    this.#pack.finalize();
    await this.#drained;
    await this.#handle.sync();
    return { bytes: this.#bytes, sha256: this.#archiveHash.digest('hex') };
  }

  /** Closes the file, complete or not. */
  async close(): Promise<void> {
    this.#pack.destroy();
    await this.#drained.catch(() => undefined);
    await this.#handle.close();
  }

  #entry(header: { name: string; size: number }) {
    const mtime = new Date(this.#options.now);
    let stream: ReturnType<Pack['entry']> | undefined;
    const ended = new Promise<void>((resolve, reject) => {
      const created = this.#pack.entry({ ...header, mode: 0o600, mtime }, (error) => (error ? reject(error) : resolve()));
      created.on('error', reject);
      stream = created;
    });
    ended.catch(() => undefined);
    const entry = stream as unknown as ReturnType<Pack['entry']>;
    // If the file can't be written, nobody reads the packed bytes any more.
    const orFailed = (work: Promise<void>) => this.#unlessFailed(Promise.race([work, ended]));
    return {
      async write(chunk: Uint8Array): Promise<void> {
        if (!entry.write(chunk)) await orFailed(new Promise((resolve) => void entry.once('drain', resolve)));
      },
      async end(): Promise<void> {
        entry.end(undefined);
        await orFailed(ended);
      },
    };
  }

  /** Not a race with the end of the archive: up to a million waiters would stay registered until then. */
  #unlessFailed(work: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#rejectWaiter = reject;
      if (this.#failure) reject(this.#failure.fault);
      work.then(resolve, reject);
    });
  }

  async #drain(): Promise<void> {
    let piece: Uint8Array[] = [];
    let size = 0;
    const write = async () => {
      const bytes = Buffer.concat(piece);
      piece = [];
      size = 0;
      this.#archiveHash.update(bytes);
      await this.#handle.appendFile(bytes).catch((fault: unknown) => {
        this.#fault = fault;
        throw fault;
      });
      this.#bytes += bytes.byteLength;
    };
    for await (const chunk of this.#pack as AsyncIterable<Uint8Array>) {
      piece.push(chunk);
      size += chunk.byteLength;
      if (size >= piece_bytes) await write();
    }
    await write();
  }
}
