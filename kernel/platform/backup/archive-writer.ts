import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { type Pack, pack } from 'tar-stream';
import type { Entry } from '../data/archive.js';
import { type EntryRecord, type Manifest, manifest_name, seal_name } from './manifest.js';

export interface ArchiveOptions {
  file: string;
  /** The time that all its entries bear, in ms since the epoch. */
  now: number;
  /** Aborts the writing. */
  signal: AbortSignal;
  /** Told how many bytes of all entries' content are in it. */
  added?: ((bytes: number) => void) | undefined;
  /** Opens the file. Default: the system's own. */
  openFile?: typeof open;
}

export interface Written {
  bytes: number;
  /** Digest of the whole archive, in hex. */
  sha256: string;
}

/** Writes to the file go out in pieces of this size. */
const piece_bytes = 256 * 1024;

/** Writes a tar, entry by entry, and hashes each and the whole on the way. Its file has the mode 0600. */
export class ArchiveWriter {
  readonly #handle: FileHandle;
  readonly #options: ArchiveOptions;
  readonly #pack: Pack = pack();
  readonly #whole: Hash = createHash('sha256');
  readonly #entries: EntryRecord[] = [];
  /** Ends with the file's last byte; fails with the first write that does. */
  readonly #written: Promise<void>;
  #bytes = 0;
  #content_bytes = 0;
  /** The first write that failed. */
  #fault: unknown;
  /** Why nothing is written any more. */
  #broken: { fault: unknown } | undefined;
  /** Tells whoever waits for the archive just now; one at a time does. */
  #break: (fault: unknown) => void = () => undefined;

  private constructor(handle: FileHandle, options: ArchiveOptions) {
    this.#handle = handle;
    this.#options = options;
    this.#written = this.#drain();
    this.#written.catch((fault: unknown) => {
      this.#broken = { fault };
      this.#break(fault);
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
      // The packing ends when the file can't be written: that is the fault, not the end.
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

  /** Adds the manifest with the list of all entries, its hash, and the end. The file is on the disk then. */
  async finish(manifest: Omit<Manifest, 'entries'>): Promise<Written> {
    const text = Buffer.from(`${JSON.stringify({ ...manifest, entries: this.#entries })}\n`);
    const seal = Buffer.from(`${createHash('sha256').update(text).digest('hex')}\n`);
    await this.add({ name: manifest_name, bytes: text.byteLength, content: [text] });
    await this.add({ name: seal_name, bytes: seal.byteLength, content: [seal] });
    this.#pack.finalize();
    await this.#written;
    await this.#handle.sync();
    return { bytes: this.#bytes, sha256: this.#whole.digest('hex') };
  }

  /** Closes the file, whole or not. */
  async close(): Promise<void> {
    this.#pack.destroy();
    await this.#written.catch(() => undefined);
    await this.#handle.close();
  }

  #entry(header: { name: string; size: number }) {
    const mtime = new Date(this.#options.now);
    let sink: ReturnType<Pack['entry']> | undefined;
    const ended = new Promise<void>((resolve, reject) => {
      const made = this.#pack.entry({ ...header, mode: 0o600, mtime }, (error) => (error ? reject(error) : resolve()));
      made.on('error', reject);
      sink = made;
    });
    ended.catch(() => undefined);
    const entry = sink as unknown as ReturnType<Pack['entry']>;
    // Where the file can't be written nobody takes any more what is packed.
    const before = (work: Promise<void>) => this.#unlessBroken(Promise.race([work, ended]));
    return {
      async write(chunk: Uint8Array): Promise<void> {
        if (!entry.write(chunk)) await before(new Promise((resolve) => void entry.once('drain', resolve)));
      },
      async end(): Promise<void> {
        entry.end(undefined);
        await before(ended);
      },
    };
  }

  /** Not a race with the end of the archive: each would stay with it until then, and there may be a million. */
  #unlessBroken(work: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#break = reject;
      if (this.#broken) reject(this.#broken.fault);
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
      this.#whole.update(bytes);
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
