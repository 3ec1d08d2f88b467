import { isFailure, type Log, untilAborted } from '../../kernel/contract/index.js';
import { loggable } from './sources/codes.js';
import type { SearchQuery, Source, SourceItem } from './sources/source.js';

interface Parts {
  sources: readonly Source[];
  log: Pick<Log, 'warn'>;
}

/** Version available at a source. */
export interface SourceMatch {
  item: SourceItem;
  source: Source;
}

/** Unavailable source, with the reason for people. */
export interface Unavailable {
  source: string;
  reason: string;
}

/** Result of a query, and the sources that did not answer. */
export interface SourceAnswer {
  found: SourceMatch[];
  unavailable: Unavailable[];
}

/** Queries the sources in parallel, each with a time limit, so that an unavailable or slow one delays nobody for long. */
export class Upstream {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get sources(): readonly Source[] {
    return this.#parts.sources;
  }

  /** Searches all sources. If two have the same id, the first counts. */
  async search(query: SearchQuery, limits: { signal: AbortSignal; limit_ms: number }): Promise<SourceAnswer> {
    const { found, unavailable } = await this.#query(this.sources, limits, (source, signal) => source.search(query, signal));
    const firstPages = new Map<string, SourceMatch>();
    for (const each of found) if (!firstPages.has(each.item.id)) firstPages.set(each.item.id, each);
    return { found: [...firstPages.values()].sort(byId), unavailable };
  }

  /** Finds one version, or the newest, at each of these sources. */
  find(
    { id, version, sources }: { id: string; version: string | undefined; sources: readonly Source[] },
    limits: { signal: AbortSignal; limit_ms: number },
  ): Promise<SourceAnswer> {
    return this.#query(sources, limits, async (source, signal) => {
      const item = await source.find(id, version, signal);
      return item?.id === id && (version === undefined || item.version === version) ? [item] : [];
    });
  }

  async #query(
    sources: readonly Source[],
    { signal, limit_ms }: { signal: AbortSignal; limit_ms: number },
    query: (source: Source, signal: AbortSignal) => Promise<readonly SourceItem[]>,
  ): Promise<SourceAnswer> {
    const found: SourceMatch[] = [];
    const unavailable: Unavailable[] = [];
    const answers = sources.map((source) => withTimeLimit(signal, limit_ms, (limited) => query(source, limited)));
    for (const [index, answer] of (await Promise.allSettled(answers)).entries()) {
      const source = sources[index] as Source;
      if (answer.status === 'fulfilled') found.push(...answer.value.map((item) => ({ item, source })));
      else {
        const reason = isFailure(answer.reason) ? answer.reason.message : `${source.name} is unavailable`;
        unavailable.push({ source: source.name, reason });
        this.#parts.log.warn('Could not query a source of extensions', { source: source.name, ...loggable(answer.reason) });
      }
    }
    signal.throwIfAborted();
    return { found, unavailable };
  }
}

/** Runs work within a limit, even if it ignores its signal. */
async function withTimeLimit<T>(signal: AbortSignal, limit_ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error(`It took longer than ${limit_ms / 1000} s`)), limit_ms);
  const limited = AbortSignal.any([signal, timeout.signal]);
  return untilAborted(work(limited), limited).finally(() => clearTimeout(timer));
}

function byId(one: SourceMatch, other: SourceMatch): number {
  return one.item.id < other.item.id ? -1 : 1;
}
