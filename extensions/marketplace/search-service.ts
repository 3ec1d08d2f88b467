import type { SearchInput, SearchItem, SearchPage } from './contract.js';
import type { Parts } from './parts.js';
import { itemOf, sourceItemOf } from './records.js';
import type { SearchFilter } from './store/searches-sql.js';
import type { SourceAnswer } from './upstream.js';

type Dependencies = Pick<Parts, 'searches' | 'versions' | 'upstream' | 'installed'>;

/** Time that a search waits for a source. */
const source_limit_ms = 5_000;

/** Searches extensions, here and at the sources. */
export class SearchService {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Searches. Results from here come before those of sources; ids known here are only shown from here. */
  async search({ limit, offset, ...input }: SearchInput, signal: AbortSignal): Promise<SearchPage> {
    const { searches, versions } = this.#parts;
    const [{ hits, total }, { found, unavailable }, installed] = await Promise.all([
      searches.page(filterOf(input), { limit, offset }),
      this.#atSources(input, signal),
      this.#parts.installed(),
    ]);
    const storedIds = await versions.usedIds(found.map(({ item }) => item.id));
    const fromSources = found.filter(({ item }) => !storedIds.has(item.id));
    const stored: SearchItem[] = hits.map(({ version, downloads }) => itemOf(version, { downloads, installed: installed.get(version.id) }));
    const from = Math.max(0, offset - total);
    const rest = fromSources.slice(from, from + limit - stored.length);
    return {
      items: [...stored, ...rest.map(({ item, source }) => sourceItemOf(item, source.name, installed.get(item.id)))],
      total: total + fromSources.length,
      unavailable: unavailable.map(({ source }) => source),
    };
  }

  #atSources({ query, type, category, tags, upstream }: Omit<SearchInput, 'limit' | 'offset'>, signal: AbortSignal): Promise<SourceAnswer> {
    if (!upstream || this.#parts.upstream.sources.length === 0) return Promise.resolve({ found: [], unavailable: [] });
    const sourceQuery = { query: query || undefined, type: type || undefined, category: category || undefined, tags: tagsOf(tags) };
    return this.#parts.upstream.search(sourceQuery, { signal, limit_ms: source_limit_ms });
  }
}

function filterOf({ query = '', type, category, tags }: Omit<SearchInput, 'limit' | 'offset'>): SearchFilter {
  const words = query.split(/\s+/).filter((word) => word !== '');
  return { words, type: type || undefined, category: category || undefined, tags: tagsOf(tags) };
}

function tagsOf(tags = ''): string[] {
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
