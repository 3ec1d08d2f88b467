import { isFailure } from '../../../kernel/contract/index.js';
import { fail } from './codes.js';
import { readItem } from './item.js';
import { detail_ms, download_ms, max_detail_bytes, max_found, max_page_bytes, page_ms, retry_ms } from './limits.js';
import { newestOfEach } from './listing.js';
import { readJson } from './pieces.js';
import type { Site } from './site.js';
import type { Download, SearchQuery, Source, SourceContext, SourceItem } from './source.js';
import { storeAnswer } from './stored.js';

const page_items = 200;

/**
 * Source for another platform's marketplace. It only returns what it stores itself, so that two platforms that name
 * each other don't query each other for ever.
 */
export class PlatformSource implements Source {
  readonly #site: Site;
  readonly #base: string;
  readonly #clock: SourceContext['clock'];
  /** Back-off of searches after a failure: otherwise every search would wait in vain. */
  #backoff: { until: number; fault: unknown } = { until: 0, fault: undefined };

  constructor(site: Site, address: URL, { clock }: Pick<SourceContext, 'clock'>) {
    this.#site = site;
    this.#base = `${address.href.replace(/\/+$/, '')}/api/marketplace`;
    this.#clock = clock;
  }

  get name(): string {
    return this.#site.name;
  }

  async search(query: SearchQuery, signal: AbortSignal): Promise<readonly SourceItem[]> {
    if (this.#clock.now() < this.#backoff.until) throw this.#backoff.fault;
    try {
      return newestOfEach(await this.#pages(query, signal));
    } catch (fault) {
      if (isFailure(fault)) this.#backoff = { until: this.#clock.now() + retry_ms, fault };
      throw fault;
    }
  }

  async find(id: string, version: string | undefined, signal: AbortSignal): Promise<SourceItem | undefined> {
    const path = version === undefined ? id : `${id}/versions/${encodeURIComponent(version)}`;
    const found = await this.#getJson(`${path}?upstream=false`, { max: max_detail_bytes, limit_ms: detail_ms }, signal);
    // The token may let us see unapproved versions.
    if (found === undefined || (found as { status?: unknown }).status !== 'approved') return undefined;
    const item = readItem(found, `The answer of ${this.name} about ${id}`);
    if (item.id !== id || (version !== undefined && item.version !== version)) {
      throw fail(
        'source_invalid',
        `${this.name} was queried for ${[id, version].join(' ').trim()} but answered with ${item.id} ${item.version}`,
      );
    }
    return item;
  }

  async download(item: SourceItem, file: string, { signal: caller, onProgress }: Download): Promise<void> {
    const signal = AbortSignal.any([caller, AbortSignal.timeout(download_ms)]);
    const answer = await this.#site.get(this.#url(`${item.id}/versions/${encodeURIComponent(item.version)}/download`), signal);
    if (answer.status !== 200) {
      await answer.body?.cancel();
      throw fail('source_invalid', `${this.name} no longer has ${item.id} ${item.version}`);
    }
    await storeAnswer(answer, file, { item, site: this.#site, signal, onProgress });
  }

  async #pages(query: SearchQuery, signal: AbortSignal): Promise<SourceItem[]> {
    const items: SourceItem[] = [];
    for (let offset = 0; offset < max_found; offset += page_items) {
      const page = await this.#page(query, offset, signal);
      items.push(...page);
      if (page.length < page_items) break;
    }
    return items;
  }

  async #page({ tags = [], ...wanted }: SearchQuery, offset: number, signal: AbortSignal): Promise<SourceItem[]> {
    const parameters = Object.entries({ ...wanted, tags: tags.join(','), limit: page_items, offset, upstream: false });
    const defined = parameters
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([key, value]): [string, string] => [key, String(value)]);
    const page = await this.#getJson(
      `search?${new URLSearchParams(defined).toString()}`,
      { max: max_page_bytes, limit_ms: page_ms },
      signal,
    );
    const { items } = (page ?? {}) as { items?: unknown };
    if (!Array.isArray(items) || items.length > page_items)
      throw fail('source_invalid', `${this.name} is not a platform with a marketplace`);
    return items.map((item, index) => {
      // Search results are cached, so drop the readmes; they are only shown one at a time.
      const { readme: _one, ...found } = readItem(item, `Extension ${offset + index} of ${this.name}`);
      return found;
    });
  }

  /** Sends a request; undefined if there is no such resource. */
  async #getJson(path: string, { max, limit_ms }: { max: number; limit_ms: number }, given: AbortSignal): Promise<unknown> {
    const signal = AbortSignal.any([given, AbortSignal.timeout(limit_ms)]);
    const answer = await this.#site.get(this.#url(path), signal, { accept: 'application/json' });
    if (answer.status === 200) return readJson(answer, { site: this.#site, what: 'An answer', max, signal });
    await answer.body?.cancel();
    return undefined;
  }

  #url(path: string): URL {
    return new URL(`${this.#base}/${path}`);
  }
}
