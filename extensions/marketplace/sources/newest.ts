import type { Clock, Log } from '../../../kernel/contract/index.js';
import { loggable } from './codes.js';
import { Kept } from './kept.js';
import type { Source } from './source.js';

export interface NewestParts {
  sources: readonly Source[];
  clock: Clock;
  log: Pick<Log, 'warn'>;
  signal: AbortSignal;
}

/** Who lists what is installed waits no longer for a source. */
const patience_ms = 2_000;

/** The newest versions that sources have, asked for at most once a minute; of a source with very many, of the first thousand ids. */
export class Newest {
  readonly #kept: ReadonlyMap<string, Kept<Map<string, string>>>;
  readonly #log: NewestParts['log'];

  constructor({ sources, clock, log, signal }: NewestParts) {
    this.#log = log;
    this.#kept = new Map(
      sources.map((source) => [
        source.name,
        new Kept({
          clock,
          signal,
          load: async (signal) => new Map((await source.search({}, signal)).map(({ id, version }) => [id, version])),
        }),
      ]),
    );
  }

  /** By id; nothing of a source that is not configured any more, nor of one that can't be asked in time. */
  async of(source: string): Promise<ReadonlyMap<string, string>> {
    try {
      return (await this.#kept.get(source)?.get(AbortSignal.timeout(patience_ms))) ?? new Map<string, string>();
    } catch (fault) {
      this.#log.warn('A source could not be asked for newer versions', { source, ...loggable(fault) });
      return new Map();
    }
  }
}
