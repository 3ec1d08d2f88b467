import type { CheckResult, Clock } from '../../contract/extension.js';
import type { CheckRecord } from '../../contract/system.js';
import { within } from '../../contract/within.js';
import type { Check } from '../../core/catalog/draft.js';

/** Limit of remembered red checks; an installation has a few dozen checks. */
const max_red = 1_000;

export type OwnedCheck = Check & { extension: string };

/** Runs checks and remembers since when each has been red. */
export class Checks {
  readonly #clock: Pick<Clock, 'iso'>;
  readonly #limit_ms: number;
  readonly #red = new Map<string, string>();

  /** @param limit_ms Time limit of each check; default 5,000. */
  constructor(clock: Pick<Clock, 'iso'>, limit_ms = 5_000) {
    this.#clock = clock;
    this.#limit_ms = limit_ms;
  }

  /** Runs checks in parallel. One that throws or times out is red; those that don't apply are left out. */
  async run(checks: readonly OwnedCheck[]): Promise<CheckRecord[]> {
    const found = await Promise.all(checks.map(async (check) => ({ check, result: await this.#probe(check) })));
    return found.flatMap(({ check, result }) => this.#record(check, result));
  }

  /** Forgets red checks of removed extensions. */
  forgetRemoved(isInstalled: (extension: string) => boolean): void {
    for (const key of this.#red.keys()) if (!isInstalled(key.slice(0, key.indexOf(' ')))) this.#red.delete(key);
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

  #probe({ probe }: Check): Promise<CheckResult | undefined> {
    const result: Promise<CheckResult | undefined> = Promise.resolve()
      .then(probe)
      .catch((fault: unknown) => ({ ok: false, message: fault instanceof Error ? fault.message : String(fault) }));
    return within(this.#limit_ms, result, () => ({ ok: false, message: `The check did not end within ${this.#limit_ms / 1000} s` }));
  }
}
