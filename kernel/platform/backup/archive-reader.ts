import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Extract, extract } from 'tar-stream';
import { isFailure } from '../../contract/failure.js';
import { failBackup, type ReadEntry } from '../data/archive.js';
import { codeOf, reasonOf } from '../data/failures.js';
import { foreignKind } from './foreign-file.js';
import { type EntryRecord, format, format_version, hash_name, isEntryName, type Manifest, manifest_name } from './manifest.js';

/** A manifest names each entry in about 150 bytes. */
const max_manifest_bytes = 256 * 1024 * 1024;
/** A tar ends with two blocks of zeros. */
const end_bytes = 1024;
const head_bytes = 512;

/**
 * Reads an archive from its first byte to its last and checks every entry against the hash and size that the manifest
 * lists, the manifest against its own hash, and the end. Padding between entries has no content and isn't checked.
 * Returns the manifest.
 *
 * Fails with `backup_damaged`, `backup_format_unknown` and `backup_not_found`.
 */
export function verifyBackup(file: string): Promise<Manifest> {
  return readArchive(file, async () => undefined);
}

/** Verifies an archive like {@link verifyBackup} and passes each entry except the manifest and its hash to `onEntry`, in the archive's order. */
export async function readArchive(file: string, onEntry: (entry: ReadEntry) => Promise<void>): Promise<Manifest> {
  try {
    await checkEnds(file);
    const verification = new Verification(onEntry);
    await eachEntry(file, (entry) => verification.entry(entry));
    return verification.finish();
  } catch (thrown) {
    throw isTarError(thrown) ? damaged(reasonOf(thrown), thrown) : thrown;
  }
}

/** Findings of one pass over an archive so far. */
class Verification {
  readonly #onEntry: (entry: ReadEntry) => Promise<void>;
  readonly #records: EntryRecord[] = [];
  #manifest: Buffer | undefined;
  #manifestHash: string | undefined;

  constructor(onEntry: (entry: ReadEntry) => Promise<void>) {
    this.#onEntry = onEntry;
  }

  async entry(entry: ReadEntry): Promise<void> {
    if (this.#manifestHash !== undefined) throw damaged(`'${entry.name}' comes after its end`);
    if (this.#manifest) {
      if (entry.name !== hash_name) throw damaged(`'${entry.name}' comes after its manifest`);
      this.#manifestHash = (await readAll(entry, 1_000)).toString('latin1');
      return;
    }
    if (entry.name === manifest_name) {
      this.#manifest = await readAll(entry, max_manifest_bytes);
      return;
    }
    if (!isEntryName(entry.name)) throw unknownFormat(`it contains '${entry.name.slice(0, 80)}'`);
    const hashed = hashing(entry);
    await this.#onEntry({ ...entry, content: hashed.content });
    for await (const _ of hashed.content);
    this.#records.push(hashed.record());
  }

  finish(): Manifest {
    if (!this.#manifest || this.#manifestHash === undefined) throw damaged('it has no end');
    if (`${createHash('sha256').update(this.#manifest).digest('hex')}\n` !== this.#manifestHash) throw damaged('its manifest was altered');
    const manifest = JSON.parse(this.#manifest.toString('utf8')) as Manifest;
    if (manifest.format !== format) throw unknownFormat(`its format is '${String(manifest.format).slice(0, 40)}'`);
    if (manifest.version !== format_version)
      throw unknownFormat(`its format has the version ${String(manifest.version).slice(0, 40)}, and this program knows ${format_version}`);
    const index = manifest.entries.findIndex((record, position) => !isDeepStrictEqual(record, this.#records[position]));
    if (index >= 0) throw damaged(`'${manifest.entries[index]?.name}' is not what the manifest lists`);
    if (this.#records.length > manifest.entries.length) throw damaged(`'${this.#records.at(-1)?.name}' is not in its manifest`);
    return manifest;
  }
}

function hashing({ name, bytes, content }: ReadEntry) {
  const sha256 = createHash('sha256');
  const chunks = content[Symbol.asyncIterator]();
  const next = async () => {
    const step = await chunks.next();
    if (!step.done) sha256.update(step.value);
    return step;
  };
  // Without `return`, so that a reader that stops early leaves the rest to be hashed.
  return {
    content: { [Symbol.asyncIterator]: () => ({ next }) },
    record: (): EntryRecord => ({ name, bytes, sha256: sha256.digest('hex') }),
  };
}

async function readAll({ name, bytes, content }: ReadEntry, max: number): Promise<Buffer> {
  if (bytes > max) throw damaged(`'${name}' has ${bytes} bytes`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function eachEntry(file: string, work: (entry: ReadEntry) => Promise<void>): Promise<void> {
  const source = createReadStream(file);
  const entries: Extract = extract();
  source.on('error', (error) => entries.destroy(error));
  source.pipe(entries);
  try {
    for await (const entry of entries) {
      const { name, size, type } = entry.header;
      if (type !== 'file') throw unknownFormat(`'${name.slice(0, 80)}' is no plain file`);
      await work({ name, bytes: size, content: entry as AsyncIterable<Uint8Array> });
    }
  } finally {
    source.destroy();
  }
}

async function checkEnds(file: string): Promise<void> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') throw failBackup('backup_not_found', `There is no archive ${file}`, { cause });
    throw cause;
  });
  try {
    const { size } = await handle.stat();
    if (size === 0) throw damaged('it is empty');
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(head_bytes), 0, head_bytes, 0);
    const foreign = foreignKind(buffer.subarray(0, bytesRead));
    if (foreign !== undefined) throw unknownFormat(`it is ${foreign}`);
    const end = Buffer.alloc(end_bytes);
    await handle.read(end, 0, end_bytes, Math.max(0, size - end_bytes));
    if (size < 2 * end_bytes || size % 512 !== 0 || end.some((byte) => byte !== 0)) throw damaged('it has no end');
  } finally {
    await handle.close();
  }
}

/** The library's errors have no code. */
function isTarError(thrown: unknown): boolean {
  return (
    thrown instanceof Error && !isFailure(thrown) && codeOf(thrown) === '' && /Invalid|Unexpected end|Header|destroyed/.test(thrown.message)
  );
}

function damaged(reason: string, cause?: unknown): Error {
  return failBackup('backup_damaged', `The archive was truncated or altered since it was written: ${reason}`, { cause });
}

function unknownFormat(reason: string): Error {
  return failBackup('backup_format_unknown', `This is not a backup that this program can read: ${reason}`);
}
