import type { ModelSettings } from '../settings.js';
import type { ModelFailure } from './failures.js';
import { type Feature, suspects } from './features.js';

/** Limit of adaptations for one request. */
const max_changes = 8;
/** Features that strict chat templates reject with the same message; both are left out together. */
const templateFeatures: ReadonlySet<Feature> = new Set<Feature>(['consecutive_messages', 'system_messages']);

interface AdaptationOptions {
  /** Features the server is known to lack, with its own message. */
  known: ReadonlyMap<Feature, string>;
  switches: ModelSettings['features'];
}

/**
 * Adapts requests to a server that lacks parts of the protocol. A refusal names, more or less clearly, what is missing;
 * the next request leaves it out. If the same refusal comes again, the guess was wrong and another one is tried.
 */
export class Adaptation {
  readonly #switches: NonNullable<ModelSettings['features']>;
  readonly #missing: Map<Feature, string>;
  readonly #tried = new Set<Feature>();
  /** Left out of this request, not yet known to help. */
  readonly #learnt = new Map<Feature, string>();
  #last: { feature: Feature; failure: ModelFailure } | undefined;
  #changes = 0;

  constructor({ known, switches = {} }: AdaptationOptions) {
    this.#switches = switches;
    this.#missing = new Map([...known].filter(([feature]) => switches[feature] !== true));
    for (const [feature, has] of Object.entries(switches) as [Feature, boolean][]) if (!has) this.#missing.set(feature, '');
  }

  get lacks(): ReadonlySet<Feature> {
    return new Set(this.#missing.keys());
  }

  /** Returns the server's message from when a feature was found missing; empty if it was set by hand. */
  messageOf(feature: Feature): string {
    return this.#missing.get(feature) ?? '';
  }

  /** Returns new findings, to be stored once an answer has arrived. */
  get learnt(): ReadonlyMap<Feature, string> {
    return this.#learnt;
  }

  /** Records a feature that an answer shows to be missing, for later requests. */
  observe(feature: Feature, said: string): void {
    if (this.#switches[feature] === undefined && !this.#missing.has(feature)) this.#learnt.set(feature, said);
  }

  /** Leaves out a feature after a refusal; false if nothing is left to try. */
  change(failure: ModelFailure, uses: ReadonlySet<Feature>): boolean {
    const mayBeLarge = failure.status === 413 && uses.has('images');
    if ((failure.code !== 'model_error' && !mayBeLarge) || failure.filtered) return false;
    if (this.#changes >= max_changes) return false;
    this.#restore(failure);
    const refusal = { status: failure.status, said: failure.said };
    const next = suspects(refusal, uses).find((feature) => !this.#tried.has(feature) && this.#switches[feature] !== true);
    if (next === undefined) return false;
    this.#changes += 1;
    this.#tried.add(next);
    this.#missing.set(next, failure.said);
    // A body that is too large says nothing about the next one.
    if (!mayBeLarge) this.#learnt.set(next, failure.said);
    this.#last = { feature: next, failure };
    return true;
  }

  /** Restores the feature left out last if the same refusal comes again: it was not the reason. */
  #restore({ status, said }: ModelFailure): void {
    const last = this.#last;
    if (
      !last ||
      templateFeatures.has(last.feature) ||
      last.failure.status !== status ||
      withoutNumbers(last.failure.said) !== withoutNumbers(said)
    )
      return;
    this.#missing.delete(last.feature);
    this.#learnt.delete(last.feature);
  }
}

/** Masks request ids, times and positions, which differ between refusals. */
function withoutNumbers(text: string): string {
  return text.replace(/[0-9a-f-]*\d[0-9a-f-]*/gi, '#');
}
