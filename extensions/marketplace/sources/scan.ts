import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundleSignature, CheckedBundle } from '../../../kernel/contract/index.js';
import { isFailure } from '../../../kernel/contract/index.js';
import { fail } from './codes.js';
import { max_folder_files } from './limits.js';
import { type Listed, Listing } from './listing.js';
import { parsed } from './pieces.js';
import { readSmall } from './plain-file.js';
import type { SourceContext, SourceItem } from './source.js';

const max = 4_096;

/** Reads the signature next to a ZIP, `<its name>.sig`; undefined if there is none. Doesn't verify it. */
async function readSidecar(path: string): Promise<BundleSignature | undefined> {
  const name = `${path}.sig`;
  const bytes = await readSmall(name, { name, max });
  if (bytes === undefined) return undefined;
  const { public_key, signature } = (parsed(bytes, name) ?? {}) as Partial<BundleSignature>;
  return { public_key: String(public_key), signature: String(signature) };
}

interface ScanState {
  /** Fingerprint of the file and its signature; a changed file is read again. */
  fingerprint: string;
  /** Undefined if the file is not a valid bundle. */
  item: SourceItem | undefined;
}

/** Reads a folder of ZIPs without an index; unchanged files are not read again. */
export class Scan {
  readonly #folder: string;
  readonly #ctx: SourceContext;
  #previous = new Map<string, ScanState>();

  constructor(folder: string, ctx: SourceContext) {
    this.#folder = folder;
    this.#ctx = ctx;
  }

  async list(signal: AbortSignal): Promise<Listing> {
    const folder = this.#folder;
    const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
      throw fail('source_unavailable', `The folder ${folder} can't be read (${cause.code ?? 'unknown'})`, { cause });
    });
    // Links and anything else that isn't a regular file are ignored.
    const files = entries.filter((entry) => entry.isFile() && entry.name.toLowerCase().endsWith('.zip')).map(({ name }) => name);
    if (files.length > max_folder_files) {
      throw fail(
        'source_invalid',
        `${folder} has more than ${max_folder_files} ZIPs; create an index with: platform extension index ${folder}`,
      );
    }
    const seen = new Map<string, ScanState>();
    for (const file of files.sort()) {
      signal.throwIfAborted();
      seen.set(file, await this.#readEntry(file, signal));
      // Remember what was read even if this scan is aborted.
      this.#previous.set(file, seen.get(file) as ScanState);
    }
    this.#previous = seen;
    return new Listing(this.#distinct(seen));
  }

  async #readEntry(file: string, signal: AbortSignal): Promise<ScanState> {
    const path = join(this.#folder, file);
    const fingerprint = `${await fingerprintOf(path)} ${await fingerprintOf(`${path}.sig`)}`;
    const before = this.#previous.get(file);
    if (before?.fingerprint === fingerprint) return before;
    try {
      const { manifest, content_hash } = await this.#ctx.extensions.check(path, signal);
      const signature = await readSidecar(path);
      return { fingerprint, item: itemOf(manifest, content_hash, signature) };
    } catch (fault) {
      if (signal.aborted) throw signal.reason;
      if (!isFailure(fault)) throw fault;
      this.#ctx.log.warn(`${path} was skipped: ${fault.message}`, { code: fault.code });
      return { fingerprint, item: undefined };
    }
  }

  /** Removes duplicates: of two files with the same version, the first by name counts. */
  #distinct(seen: ReadonlyMap<string, ScanState>): Listed[] {
    const listed = new Map<string, Listed>();
    for (const [file, { item }] of seen) {
      if (item === undefined) continue;
      const key = `${item.id} ${item.version}`;
      if (!listed.has(key)) listed.set(key, { item, file });
    }
    return [...listed.values()];
  }
}

async function fingerprintOf(path: string): Promise<string> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}

function itemOf(manifest: CheckedBundle['manifest'], content_hash: string, signature: SourceItem['signature']): SourceItem {
  const { id, name, type, author, version, description, category = '', tags = [], engines, permissions } = manifest;
  return { id, name, type, author, version, description, category, tags, content_hash, engines, permissions, signature };
}
