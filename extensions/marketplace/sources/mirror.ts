import { Cached } from './cached.js';
import { fail } from './codes.js';
import { readIndex } from './index-file.js';
import { download_ms, max_index_bytes } from './limits.js';
import type { Listing } from './listing.js';
import { readJson } from './pieces.js';
import type { Site } from './site.js';
import type { Download, SearchQuery, Source, SourceContext, SourceItem } from './source.js';
import { storeAnswer } from './stored.js';

interface Index {
  listing: Listing;
  etag: string | null;
}

/** Source for a folder of bundles with an index, served by any web server. */
export class MirrorSource implements Source {
  readonly #site: Site;
  readonly #address: URL;
  readonly #index: Cached<Index>;

  /** `address`: its `index.json`; the bundles are next to it. */
  constructor(site: Site, address: URL, ctx: SourceContext) {
    this.#site = site;
    this.#address = address;
    this.#index = new Cached(ctx, (signal, last) => this.#load(signal, last));
  }

  get name(): string {
    return this.#site.name;
  }

  async search(query: SearchQuery, signal: AbortSignal): Promise<readonly SourceItem[]> {
    return (await this.#index.get(signal)).listing.search(query);
  }

  async find(id: string, version: string | undefined, signal: AbortSignal): Promise<SourceItem | undefined> {
    return (await this.#index.get(signal)).listing.find(id, version)?.item;
  }

  async download(item: SourceItem, file: string, { signal: given, onProgress }: Download): Promise<void> {
    const signal = AbortSignal.any([given, AbortSignal.timeout(download_ms)]);
    const { listing } = await this.#index.get(signal);
    const listed = listing.find(item.id, item.version);
    const answer = listed && (await this.#site.get(new URL(encodeURIComponent(listed.file), this.#address), signal));
    if (answer?.status !== 200) {
      await answer?.body?.cancel();
      throw fail('source_invalid', `${this.name} does not have ${item.id} ${item.version}, which its index lists`);
    }
    await storeAnswer(answer, file, { item, site: this.#site, signal, onProgress });
  }

  async #load(signal: AbortSignal, last: Index | undefined): Promise<Index> {
    const etag = last?.etag ?? null;
    const answer = await this.#site.get(this.#address, signal, etag === null ? {} : { 'if-none-match': etag });
    if (answer.status === 200) {
      const index = await readJson(answer, { site: this.#site, what: 'The index', max: max_index_bytes, signal });
      return { listing: await readIndex(index, this.name), etag: answer.headers.get('etag') };
    }
    await answer.body?.cancel();
    if (answer.status === 304 && last !== undefined) return last;
    throw fail('source_invalid', `There is no index at ${this.name}`);
  }
}
