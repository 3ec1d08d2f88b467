import type { StopReason } from '../../contract/extension.js';
import { endsWithin } from '../../contract/within.js';
import { type Activator, background, retire } from './activate.js';
import type { Receipt } from './receipt.js';
import type { Running } from './running.js';

/** A change of versions: without a fresh one the extension stops, without an old one it starts. */
export interface Handover {
  old: Running | undefined;
  fresh?: Running | undefined;
  reason: StopReason;
}

/** Limit at shutdown for stopped versions that still finish claimed work. */
const shutdown_limit_ms = 4_000;

/** Stops replaced and removed versions of extensions. */
export class Handovers {
  readonly #activator: Activator;
  /** For each extension, its last handover of background work; the next waits for it. */
  readonly #handovers = new Map<string, Promise<void>>();
  /** For each extension, the retirement of the version that stopped last. */
  readonly #retirements = new Map<string, Promise<Receipt | undefined>>();
  /** Retirements that have not finished. */
  readonly #unfinished = new Set<Promise<unknown>>();

  constructor(activator: Activator) {
    this.#activator = activator;
  }

  /** Resolves with the receipt of the version that stopped last; undefined if none stopped. */
  ended(id: string): Promise<Receipt | undefined> {
    return this.#retirements.get(id) ?? Promise.resolve(undefined);
  }

  forget(id: string): void {
    this.#retirements.delete(id);
  }

  /** Stops the old version's background work, starts the fresh one's, then drains and releases the old version. */
  start(id: string, handover: Handover): Promise<void> {
    const end = this.#end(id, handover);
    const forget = () => this.#unfinished.delete(end);
    this.#retirements.set(id, end);
    this.#unfinished.add(end);
    end.then(forget, forget);
    return end.then(() => undefined);
  }

  /** Waits for all retirements, at most 4 s. */
  async settled(): Promise<void> {
    await endsWithin(shutdown_limit_ms, Promise.all(this.#unfinished));
  }

  async #end(id: string, { old, fresh, reason }: Handover): Promise<Receipt | undefined> {
    const before = this.#handovers.get(id);
    old?.stopping(reason);
    const handover = (async () => {
      await before;
      if (old) await background.stop(old, reason, this.#activator);
      if (fresh) await background.start(fresh, this.#activator);
    })().catch((fault: unknown) => {
      this.#activator.options.services.log.error(`The background work of extension '${id}' did not start`, { err: fault });
    });
    this.#handovers.set(id, handover);
    await handover;
    return old ? retire(old, reason, this.#activator) : undefined;
  }
}
