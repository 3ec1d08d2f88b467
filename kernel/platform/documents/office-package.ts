import { posix } from 'node:path';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { unpacked_bytes, unpacked_ratio } from '../bundles/limits.js';
import { max_parts } from './limits.js';
import { Refusal } from './refusal.js';
import { parseXml, type XmlHandler } from './xml.js';

/** A link from one part to another. Links that lead out of the document are left out. */
export interface Relationship {
  /** Last word of its type: `worksheet`, `slide`. */
  type: string;
  /** Path of the part. */
  target: string;
}

/** Bytes that a document may unpack to whatever the ratio: a small file of spaces and repeated tags is no bomb. */
const free_bytes = 10 * 1024 * 1024;

/** Mark and length of the record at the end of an archive, before its comment. */
const archive_end = 'PK\x05\x06';
const end_bytes = 22;

/** A ZIP with the parts of an Office document. Reads parts in pieces. The limits of bundles apply to the whole of them. */
export class OfficePackage {
  readonly #zip: ZipFile;
  /** Entries by their paths in lower case, because names of parts ignore case. */
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #limit: number;
  #unpacked = 0;

  /** @throws `encrypted`, `damaged`, `too_large` */
  static async open(bytes: Buffer): Promise<OfficePackage> {
    const entries = new Map<string, Entry>();
    try {
      const zip = await fromBufferPromise(trimmed(bytes), { decodeStrings: true });
      zip.on('error', () => undefined);
      if (zip.entryCount > max_parts) throw new Refusal('too_large');
      for await (const entry of zip.eachEntry()) {
        const name = entry.fileName.toLowerCase();
        // Two parts of one name are forbidden (ECMA-376 part 2, 9.1.1.3): readers would differ in which they take.
        if (entries.has(name)) throw new Refusal('damaged');
        entries.set(name, entry);
      }
      return new OfficePackage(zip, entries, bytes.length);
    } catch (fault) {
      throw fault instanceof Refusal ? fault : new Refusal('damaged');
    }
  }

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, packed: number) {
    this.#zip = zip;
    this.#entries = entries;
    this.#limit = Math.min(unpacked_bytes, Math.max(free_bytes, unpacked_ratio * packed));
    const all = [...entries.values()];
    if (all.some((entry) => entry.isEncrypted())) throw new Refusal('encrypted');
    if (all.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0) > this.#limit) throw new Refusal('too_large');
  }

  has(path: string): boolean {
    return this.#entries.has(path.toLowerCase());
  }

  /** Parses a part. Does nothing if there is none. */
  async parse(path: string, handler: XmlHandler): Promise<void> {
    const entry = this.#entries.get(path.toLowerCase());
    if (entry !== undefined) await parseXml(this.#content(entry), handler);
  }

  /** Returns a part; undefined if there is none. */
  async read(path: string): Promise<Buffer | undefined> {
    const entry = this.#entries.get(path.toLowerCase());
    if (entry === undefined) return undefined;
    const pieces: Buffer[] = [];
    for await (const piece of this.#content(entry)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Returns the relationships of a part by their ids; those of the package for an empty path. */
  async relationships(path: string): Promise<ReadonlyMap<string, Relationship>> {
    const found = new Map<string, Relationship>();
    await this.parse(posix.join(posix.dirname(path), '_rels', `${posix.basename(path)}.rels`), {
      open(name, attributes) {
        if (name !== 'Relationship' || attributes.get('TargetMode') === 'External') return;
        const type = attributes.get('Type')?.split('/').at(-1) ?? '';
        // A target begins at its source, or with a slash at the root of the package. `..` leads no further than that.
        const target = posix.resolve('/', posix.dirname(path), decodedPath(attributes.get('Target') ?? '')).slice(1);
        found.set(attributes.get('Id') ?? '', { type, target });
      },
    });
    return found;
  }

  /** Yields a part in pieces. yauzl fails if it is longer than the directory says. */
  async *#content(entry: Entry): AsyncGenerator<Buffer> {
    try {
      for await (const piece of await this.#zip.openReadStreamPromise(entry)) {
        this.#unpacked += (piece as Buffer).length;
        if (this.#unpacked > this.#limit) throw new Refusal('too_large');
        yield piece as Buffer;
      }
    } catch (fault) {
      throw fault instanceof Refusal ? fault : new Refusal('damaged');
    }
  }
}

/** Cuts off bytes after the end of an archive, which mail programs and copying may append. */
function trimmed(bytes: Buffer): Buffer {
  const start = bytes.lastIndexOf(archive_end);
  if (start === -1 || start + end_bytes > bytes.length) return bytes;
  return bytes.subarray(0, start + end_bytes + bytes.readUInt16LE(start + end_bytes - 2));
}

function decodedPath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
