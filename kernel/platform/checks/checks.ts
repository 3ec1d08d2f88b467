import type { CheckResult, Clock } from '../../contract/extension.js';
import type { CheckRecord } from '../../contract/system.js';
import { within } from '../../contract/within.js';
import type { Check } from '../../core/catalog/draft.js';

/** Bound of remembered red checks; an installation has a few dozen checks. */
const max_red = 1_000;

export type OwnedCheck = Check & { extension: string };

/** Runs checks, and knows of each that is red since when it was found so. */
export class Checks {
  readonly #clock: Pick<Clock, 'iso'>;
  readonly #limit_ms: number;
  readonly #red = new Map<string, string>();

  /** @param limit_ms - how long each is waited for; default 5,000 */
  constructor(clock: Pick<Clock, 'iso'>, limit_ms = 5_000) {
    this.#clock = clock;
    this.#limit_ms = limit_ms;
  }

  /** Side by side; one that throws or takes longer is red. Those that do not apply are left out. */
  async run(checks: readonly OwnedCheck[]): Promise<CheckRecord[]> {
    const found = await Promise.all(checks.map(async (check) => ({ check, result: await this.#probed(check) })));
    return found.flatMap(({ check, result }) => this.#record(check, result));
  }

  /** Remembers only those of extensions that are still there. */
  keep(isThere: (extension: string) => boolean): void {
    for (const key of this.#red.keys()) if (!isThere(key.slice(0, key.indexOf(' ')))) this.#red.delete(key);
  }

  #record({ extension, code }: OwnedCheck, result: CheckResult | undefined): CheckRecord[] {
    const key = `${extension} ${code}`;
    if (result?.ok !== false) this.#red.delete(key);
    if (!result) return [];
    const { ok, message, fix, since } = result;
    if (ok) return [{ extension, code, ok, message, since: null, fix: null }];
    const seen = this.#red.get(key);
    if (seen === undefined && this.#red.size < max_red) this.#red.set(key, this.#clock.iso());
    return [{ extension, code, ok, message, since: since ?? seen ?? null, fix: fix ?? null }];
  }

  #probed({ probe }: Check): Promise<CheckResult | undefined> {
    const result: Promise<CheckResult | undefined> = Promise.resolve()
      .then(probe)
      .catch((fault: unknown) => ({ ok: false, message: fault instanceof Error ? fault.message : String(fault) }));
    return within(this.#limit_ms, result, () => ({ ok: false, message: `The check did not end within ${this.#limit_ms / 1000} s` }));
  }
}
