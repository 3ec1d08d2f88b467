import { Cached } from './cached.js';
import { loggable } from './codes.js';
import type { Source, SourceContext } from './source.js';

/** Returns the newest versions of a source, by id. */
export type NewestOf = (source: string) => Promise<ReadonlyMap<string, string>>;

/** Time that a list of installed extensions waits for a source. */
const time_limit_ms = 2_000;

/**
 * Reads the newest versions of sources, cached for a minute; of a very large source only the first thousand ids. Empty
 * for a source that is no longer configured or doesn't answer in time.
 */
export function newestAt(sources: readonly Source[], ctx: Pick<SourceContext, 'clock' | 'log' | 'signal'>): NewestOf {
  const versionsOf = async (source: Source, signal: AbortSignal) =>
    new Map((await source.search({}, signal)).map(({ id, version }) => [id, version]));
  const caches = new Map(sources.map((source) => [source.name, new Cached(ctx, (signal) => versionsOf(source, signal))]));
  return async (source) => {
    try {
      return (await caches.get(source)?.get(AbortSignal.timeout(time_limit_ms))) ?? new Map<string, string>();
    } catch (fault) {
      ctx.log.warn('Could not query a source for newer versions', { source, ...loggable(fault) });
      return new Map();
    }
  };
}
