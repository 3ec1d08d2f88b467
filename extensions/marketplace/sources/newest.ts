import { loggable } from './codes.js';
import { Kept } from './kept.js';
import type { Source, SourceContext } from './source.js';

/** The newest versions that a source has, by id. */
export type NewestOf = (source: string) => Promise<ReadonlyMap<string, string>>;

/** Who lists what is installed waits no longer for a source. */
const patience_ms = 2_000;

/**
 * Tells the newest versions that sources have, asked for at most once a minute; of a source with very many, of the first thousand ids.
 * Nothing of a source that is not configured any more, nor of one that can't be asked in time.
 */
export function newestAt(sources: readonly Source[], ctx: Pick<SourceContext, 'clock' | 'log' | 'signal'>): NewestOf {
  const versionsOf = async (source: Source, signal: AbortSignal) =>
    new Map((await source.search({}, signal)).map(({ id, version }) => [id, version]));
  const kept = new Map(sources.map((source) => [source.name, new Kept(ctx, (signal) => versionsOf(source, signal))]));
  return async (source) => {
    try {
      return (await kept.get(source)?.get(AbortSignal.timeout(patience_ms))) ?? new Map<string, string>();
    } catch (fault) {
      ctx.log.warn('A source could not be asked for newer versions', { source, ...loggable(fault) });
      return new Map();
    }
  };
}
