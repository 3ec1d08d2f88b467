import type { CheckResult } from '../../kernel/contract/index.js';
import type { Seats } from './contract.js';

/** Whether another person could be taken in; where seats are not limited there is nothing to tell. */
export function seatsCheck({ used, limit }: Seats): CheckResult | undefined {
  if (limit === 0) return undefined;
  const message = `${used} of ${limit} seats are taken`;
  if (used < limit) return { ok: true, message };
  const fix = `PLATFORM_SEATS=${used + 10} platform serve; or free one with: platform member list, and platform member delete <id>`;
  return { ok: false, message: `${message}: nobody can be added`, fix };
}
