import { fail } from './codes.js';
import type { VersionName } from './contract.js';
import { isNewer, newestOf } from './newest.js';
import type { Parts } from './parts.js';
import type { Source } from './sources/source.js';
import type { StoredVersion } from './store/version-row.js';
import type { SourceMatch, Unavailable } from './upstream.js';

type Dependencies = Pick<Parts, 'ids' | 'versions' | 'upstream'>;

/** Version that may be shown and installed: stored here or available at a source. */
export type Candidate = { stored: StoredVersion } | { found: SourceMatch };

export interface LookupRequest {
  id: string;
  version: string | undefined;
  /** Only source it may come from. */
  source?: string | undefined;
  signal: AbortSignal;
}

const source_limit_ms = 10_000;

/**
 * Finds the version for an id. An id published here never comes from elsewhere, and one from a source only from that
 * source unless another is named, so nobody elsewhere can take over a known extension by using its name.
 */
export class Lookup {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Finds an approved version stored here. */
  here({ id, version }: Pick<LookupRequest, 'id' | 'version'>): Promise<StoredVersion | undefined> {
    const { versions } = this.#parts;
    if (version === undefined) return versions.newest(id);
    return versions.find({ id, version }).then((found) => (found?.status === 'approved' ? found : undefined));
  }

  /** Finds the newest version here and at the sources, or the requested one; if that is stored here, sources are not queried. */
  async find(request: LookupRequest): Promise<Candidate> {
    const { id, version, source } = request;
    const here = source === undefined ? await this.here(request) : undefined;
    if (here && version !== undefined) return { stored: here };
    const sources = await this.#sourcesOf(id, source);
    const { found, unavailable } = await this.#atSources(request, sources);
    if (here) return found && isNewer(found.item.version, here.version) ? { found } : { stored: here };
    if (found) return { found };
    if (unavailable.length > 0)
      throw fail('source_unavailable', `'${id}' is not stored here. ${unavailable.map(({ reason }) => reason).join('. ')}`);
    throw await this.#notFound({ id, version });
  }

  async #atSources(
    request: LookupRequest,
    sources: readonly Source[],
  ): Promise<{ found: SourceMatch | undefined; unavailable: Unavailable[] }> {
    const { id, version, signal } = request;
    if (sources.length === 0) return { found: undefined, unavailable: [] };
    const answer = await this.#parts.upstream.find({ id, version, sources }, { signal, limit_ms: source_limit_ms });
    const importable: SourceMatch[] = [];
    for (const each of answer.found) if (await this.#isUnclaimed(each.item)) importable.push(each);
    const best = newestOf(importable.map((each) => ({ each, version: each.item.version })));
    return { found: best?.each, unavailable: answer.unavailable };
  }

  /** Returns whether a version may be imported. A version yanked here stays yanked, whoever else has it. */
  async #isUnclaimed(item: VersionName): Promise<boolean> {
    const known = await this.#parts.versions.find(item);
    return known === undefined || known.status === 'rejected' || known.status === 'approved';
  }

  async #sourcesOf(id: string, requested: string | undefined): Promise<readonly Source[]> {
    const { ids, upstream } = this.#parts;
    const origin = await ids.originOf(id);
    if (requested !== undefined && !upstream.sources.some(({ name }) => name === requested)) {
      throw fail(
        'source_not_found',
        `Unknown source '${requested}'; configured: ${upstream.sources.map(({ name }) => name).join(', ') || 'none'}`,
      );
    }
    if (origin?.owner) return [];
    const wanted = requested ?? origin?.source ?? undefined;
    return wanted === undefined ? upstream.sources : upstream.sources.filter(({ name }) => name === wanted);
  }

  async #notFound({ id, version }: Pick<LookupRequest, 'id' | 'version'>) {
    const newest = version === undefined ? undefined : await this.#parts.versions.newest(id);
    if (newest) return fail('version_not_found', `There is no approved version ${version} of '${id}'; the newest is ${newest.version}`);
    return fail('extension_not_found', `There is no approved version of an extension '${id}'`);
  }
}
