import type { Run } from '../contract.js';
import type { Tally } from '../store/schedules.js';

/** What runs that have ended mean for their schedules, in their order. One that was interrupted is not the schedule's fault. */
export function talliesOf(runs: readonly Run[]): Tally[] {
  const tallies = new Map<number, Tally>();
  for (const { schedule_id: id, status, error_code } of runs) {
    const tally = tallies.get(id) ?? { id, successes: 0, failed: 0, last_status: status };
    if (status === 'success') Object.assign(tally, { successes: tally.successes + 1, failed: 0 });
    if ((status === 'failed' && error_code !== 'interrupted') || status === 'timeout') tally.failed += 1;
    tallies.set(id, { ...tally, last_status: status });
  }
  return [...tallies.values()];
}
