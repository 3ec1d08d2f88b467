import type { CheckResult } from './contract/extension.js';
import type { Check } from './host/draft.js';
import type { CheckRecord } from './operations/contract.js';
import { within } from './service/within.js';

const limit_ms = 5_000;

/** Runs checks side by side, each at most 5 s; one that throws or takes longer is red. */
export function runChecks(checks: readonly (Check & { extension: string })[]): Promise<CheckRecord[]> {
  return Promise.all(
    checks.map(async ({ extension, code, probe }) => {
      const probed: Promise<CheckResult> = Promise.resolve()
        .then(probe)
        .catch((fault: unknown) => ({ ok: false, message: fault instanceof Error ? fault.message : String(fault) }));
      const late = () => ({ ok: false, message: `The check did not end within ${limit_ms / 1000} s` });
      return { extension, code, ...(await within(limit_ms, probed, late)) };
    }),
  );
}
