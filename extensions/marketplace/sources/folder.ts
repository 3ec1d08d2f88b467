import { join } from 'node:path';
import { isFailure } from '../../../kernel/contract/index.js';
import { Cached } from './cached.js';
import { fail } from './codes.js';
import { readIndex } from './index-file.js';
import { max_bundle_bytes, max_index_bytes } from './limits.js';
import type { Listing } from './listing.js';
import { parsed } from './pieces.js';
import { counted, openPlain, readSmall } from './plain-file.js';
import { Scan } from './scan.js';
import type { Download, SearchQuery, Source, SourceContext, SourceItem } from './source.js';
import { store } from './stored.js';

/** Source for a folder of bundles on this machine: those that its `index.json` lists, otherwise its ZIPs. */
export class FolderSource implements Source {
  readonly name: string;
  readonly #extensions: SourceContext['extensions'];
  readonly #scan: Scan;
  readonly #listing: Cached<Listing>;

  constructor(folder: string, ctx: SourceContext) {
    this.name = folder;
    this.#extensions = ctx.extensions;
    this.#scan = new Scan(folder, ctx);
    this.#listing = new Cached(ctx, (signal) => this.#load(signal));
  }

  async search(query: SearchQuery, signal: AbortSignal): Promise<readonly SourceItem[]> {
    return (await this.#listing.get(signal)).search(query);
  }

  async find(id: string, version: string | undefined, signal: AbortSignal): Promise<SourceItem | undefined> {
    const listed = (await this.#listing.get(signal)).find(id, version);
    return listed && { ...listed.item, readme: await this.#readme(listed.item, listed.file, signal) };
  }

  async download(item: SourceItem, file: string, { signal, onProgress }: Download): Promise<void> {
    const listed = (await this.#listing.get(signal)).find(item.id, item.version);
    if (listed === undefined) throw fail('source_invalid', `${this.name} no longer has ${item.id} ${item.version}`);
    const path = join(this.name, listed.file);
    const handle = await openPlain(path, path);
    try {
      const { size } = await handle.stat();
      const options = { item, from: this.name, onProgress: (bytes: number) => onProgress?.(bytes, size) };
      await store(counted(handle, { name: path, max: max_bundle_bytes }), file, options);
    } finally {
      await handle.close();
    }
  }

  async #load(signal: AbortSignal): Promise<Listing> {
    const name = join(this.name, 'index.json');
    const bytes = await readSmall(name, { name, max: max_index_bytes });
    return bytes === undefined ? this.#scan.list(signal) : readIndex(parsed(bytes, name), this.name);
  }

  /** Reads a readme on demand: those of a full folder may total a gigabyte. */
  async #readme({ content_hash }: SourceItem, file: string, signal: AbortSignal): Promise<string> {
    try {
      const bundle = await this.#extensions.check(join(this.name, file), signal);
      return bundle.content_hash === content_hash ? bundle.readme : '';
    } catch (fault) {
      // The download will report it.
      if (isFailure(fault)) return '';
      throw fault;
    }
  }
}
