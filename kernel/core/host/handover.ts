import type { StopReason } from '../../contract/extension.js';
import { endsWithin } from '../../contract/within.js';
import { type Activator, background, retire } from './activate.js';
import type { Receipt } from './receipt.js';
import type { Running } from './running.js';

/** A change of versions: without a new one the extension stops, without an old one it starts. */
export interface Handover {
  old: Running | undefined;
  fresh?: Running | undefined;
  reason: StopReason;
}

/** Work that replaced versions had claimed goes on in its own time, but not past the end of the process. */
const ending_limit_ms = 4_000;

/** Ends versions of extensions whose place others have taken, or nobody. */
export class Handovers {
  readonly #activator: Activator;
  /** For each extension, the last change of who does its background work; each waits for the one before. */
  readonly #handovers = new Map<string, Promise<void>>();
  /** For each extension, the end of the version that stopped last. */
  readonly #ends = new Map<string, Promise<Receipt | undefined>>();
  /** Versions that have stopped but not yet ended. */
  readonly #ending = new Set<Promise<unknown>>();

  constructor(activator: Activator) {
    this.#activator = activator;
  }

  /** Resolves with what the version that stopped last has released; undefined if none stopped. */
  ended(id: string): Promise<Receipt | undefined> {
    return this.#ends.get(id) ?? Promise.resolve(undefined);
  }

  forget(id: string): void {
    this.#ends.delete(id);
  }

  /** Ends the old version's background work, then begins the new one's, then drains and releases the old one. */
  hand(id: string, handover: Handover): Promise<void> {
    const end = this.#end(id, handover);
    const forget = () => this.#ending.delete(end);
    this.#ends.set(id, end);
    this.#ending.add(end);
    end.then(forget, forget);
    return end.then(() => undefined);
  }

  /** Waits for all that have stopped, though not for ever. */
  async settled(): Promise<void> {
    await endsWithin(ending_limit_ms, Promise.all(this.#ending));
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
