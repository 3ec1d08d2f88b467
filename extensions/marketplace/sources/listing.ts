import semver from 'semver';
import { max_found } from './limits.js';
import type { SearchQuery, SourceItem } from './source.js';

/** Version, and the file within its source. */
export interface Listed {
  item: SourceItem;
  file: string;
}

interface Searchable {
  item: SourceItem;
  /** Searchable text in lower case. */
  text: string;
  /** Tags in lower case. */
  tags: readonly string[];
}

/** Versions of a mirror or a folder. */
export class Listing {
  readonly #versions = new Map<string, Listed[]>();
  /** Newest version of each id, sorted by id; computed once to keep searches fast. */
  readonly #newest: readonly Searchable[];

  constructor(all: readonly Listed[]) {
    for (const listed of all) {
      const versions = this.#versions.get(listed.item.id);
      if (versions === undefined) this.#versions.set(listed.item.id, [listed]);
      else versions.push(listed);
    }
    for (const versions of this.#versions.values()) versions.sort((one, other) => newestFirst(one.item, other.item));
    this.#newest = sorted([...this.#versions.values()].map(([first]) => (first as Listed).item)).map(searchable);
  }

  /** Returns the newest version of each matching id, sorted by id. */
  search(query: SearchQuery): SourceItem[] {
    const found = this.#newest.filter(matching(query));
    return found.slice(0, max_found).map(({ item }) => item);
  }

  /** Finds one version, or the newest. */
  find(id: string, version: string | undefined): Listed | undefined {
    const versions = this.#versions.get(id) ?? [];
    return version === undefined ? versions[0] : versions.find(({ item }) => item.version === version);
  }
}

/** Returns the newest version of each id, sorted by id. */
export function newestOfEach(items: readonly SourceItem[]): SourceItem[] {
  const newest = new Map<string, SourceItem>();
  for (const item of items) {
    const known = newest.get(item.id);
    if (known === undefined || newestFirst(item, known) < 0) newest.set(item.id, item);
  }
  return sorted([...newest.values()]);
}

/** Compares by semver precedence; ties are broken deterministically. */
function newestFirst(one: SourceItem, other: SourceItem): number {
  return semver.rcompare(one.version, other.version) || (one.version < other.version ? 1 : -1);
}

function sorted(items: SourceItem[]): SourceItem[] {
  return items.sort((one, other) => (one.id < other.id ? -1 : 1));
}

function searchable(item: SourceItem): Searchable {
  const tags = item.tags.map((tag) => tag.toLowerCase());
  return { item, tags, text: [item.id, item.name, item.description, item.author, ...tags].join('\n').toLowerCase() };
}

function matching({ query = '', type, category, tags = [] }: SearchQuery): (found: Searchable) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = tags.map((tag) => tag.toLowerCase());
  return (found) => {
    if (type !== undefined && found.item.type !== type) return false;
    if (category !== undefined && found.item.category !== category) return false;
    return wanted.every((tag) => found.tags.includes(tag)) && words.every((word) => found.text.includes(word));
  };
}
