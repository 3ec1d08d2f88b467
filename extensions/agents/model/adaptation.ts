import type { ModelSettings } from '../settings.js';
import type { ModelFailure } from './failures.js';
import { type Feature, suspects } from './features.js';

/** How often one question is asked in another way. */
const max_changes = 8;
/** Strict chat templates have one sentence for both: they are left out together. */
const shaped: ReadonlySet<Feature> = new Set<Feature>(['consecutive_messages', 'system_messages']);

interface AdaptationOptions {
  /** Features that the server is known to lack, with its own words. */
  known: ReadonlyMap<Feature, string>;
  switches: ModelSettings['features'];
}

/**
 * Finds a way to ask that a server takes. A refusal names what it lacks, more or less clearly: that is left out of the next request.
 * If the same refusal comes again, it was not that, and something else is tried.
 */
export class Adaptation {
  readonly #switches: NonNullable<ModelSettings['features']>;
  readonly #lacks: Map<Feature, string>;
  readonly #tried = new Set<Feature>();
  /** Left out in this question, and not yet known to help. */
  readonly #learnt = new Map<Feature, string>();
  #last: { feature: Feature; failure: ModelFailure } | undefined;
  #changes = 0;

  constructor({ known, switches = {} }: AdaptationOptions) {
    this.#switches = switches;
    this.#lacks = new Map([...known].filter(([feature]) => switches[feature] !== true));
    for (const [feature, has] of Object.entries(switches) as [Feature, boolean][]) if (!has) this.#lacks.set(feature, '');
  }

  get lacks(): ReadonlySet<Feature> {
    return new Set(this.#lacks.keys());
  }

  /** Returns the server's words when it was found to lack a feature; empty if that was set by hand. */
  saidOf(feature: Feature): string {
    return this.#lacks.get(feature) ?? '';
  }

  /** New findings, to be stored once an answer has come. */
  get learnt(): ReadonlyMap<Feature, string> {
    return this.#learnt;
  }

  /** Records a feature that an answer shows to be missing, for the next questions. */
  observe(feature: Feature, said: string): void {
    if (this.#switches[feature] === undefined && !this.#lacks.has(feature)) this.#learnt.set(feature, said);
  }

  /** Leaves something out after a refusal; false if there is nothing left to try. */
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
    this.#lacks.set(next, failure.said);
    // One body that is too large says nothing about the next one.
    if (!mayBeLarge) this.#learnt.set(next, failure.said);
    this.#last = { feature: next, failure };
    return true;
  }

  /** The same refusal again: what was left out was not the reason. */
  #restore({ status, said }: ModelFailure): void {
    const last = this.#last;
    if (!last || shaped.has(last.feature) || last.failure.status !== status || withoutNumbers(last.failure.said) !== withoutNumbers(said))
      return;
    this.#lacks.delete(last.feature);
    this.#learnt.delete(last.feature);
  }
}

/** Request ids, times and positions differ from one refusal to the next. */
function withoutNumbers(text: string): string {
  return text.replace(/[0-9a-f-]*\d[0-9a-f-]*/gi, '#');
}
