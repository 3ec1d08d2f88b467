import type { Clock, Log } from '../../contract/extension.js';
import type { PresenceProvider } from '../../contract/socket.js';
import { within } from '../../contract/within.js';
import type { Present } from './board.js';

export interface VirtualsOptions {
  clock: Clock;
  log: Log;
  providers: () => readonly PresenceProvider[];
}

type Said = ReadonlyMap<number, Present>;

const answer_ms = 2_000;
const fresh_ms = 5_000;

/** Collects the presence of members without sockets from the slot `presence`. */
export class Virtuals {
  readonly #options: VirtualsOptions;
  #said: ReadonlyMap<PresenceProvider, Said> = new Map();
  #asking: Promise<Said> | undefined;
  #asked_at = Number.NEGATIVE_INFINITY;
  /** Incremented when pending answers become outdated. */
  #round = 0;

  constructor(options: VirtualsOptions) {
    this.#options = options;
  }

  /** Whether the answers are too old to use. */
  get stale(): boolean {
    return this.#options.clock.now() - this.#asked_at > fresh_ms;
  }

  /** Asks all providers; concurrent calls share one request. */
  ask(): Promise<Said> {
    if (this.#asking) return this.#asking;
    const asking = this.#askAll(this.#round).finally(() => {
      if (this.#asking === asking) this.#asking = undefined;
    });
    this.#asking = asking;
    return asking;
  }

  /** Invalidates all answers and pending requests after a change. */
  expire(): void {
    this.#round += 1;
    this.#asking = undefined;
    this.#asked_at = Number.NEGATIVE_INFINITY;
  }

  async #askAll(round: number): Promise<Said> {
    const providers = this.#options.providers();
    const answers = await Promise.all(providers.map(async (provider) => [provider, await this.#askOne(provider)] as const));
    if (round !== this.#round) return this.ask();
    this.#said = new Map(answers);
    this.#asked_at = this.#options.clock.now();
    return new Map(answers.flatMap(([, said]) => [...said]));
  }

  async #askOne(provider: PresenceProvider): Promise<Said> {
    const late = () => {
      throw new Error(`It took longer than ${answer_ms / 1000} s`);
    };
    try {
      return await within(answer_ms, Promise.resolve(provider.present()), late);
    } catch (err) {
      this.#options.log.warn('An extension could not report presence', { err });
      return this.#said.get(provider) ?? new Map();
    }
  }
}
