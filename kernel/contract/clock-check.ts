import type { CheckResult, Clock } from './extension.js';

/** The tolerated difference between the two clocks. */
const tolerated_ms = 5_000;

/**
 * Checks that another machine's clock agrees with this one's, within 5 s and half of the time that the query takes.
 *
 * @param whose name of the other machine, such as `the database`
 * @param read returns its time, in ms since the epoch
 */
export async function clockCheck(whose: string, clock: Pick<Clock, 'now'>, read: () => Promise<number>): Promise<CheckResult> {
  const asked = clock.now();
  const there = await read();
  const took = clock.now() - asked;
  const ahead_ms = there - (asked + took / 2);
  if (Number.isNaN(ahead_ms)) return { ok: false, message: `The clock of ${whose} gives no time that can be read` };
  if (Math.abs(ahead_ms) <= tolerated_ms + took / 2) return { ok: true, message: `The clocks of ${whose} and of this machine agree` };
  const by = `${Math.round(Math.abs(ahead_ms) / 1000)} s ${ahead_ms > 0 ? 'ahead of' : 'behind'}`;
  const message = `The clock of ${whose} is ${by} this machine's: logins, leases and schedules go by both`;
  return { ok: false, message, fix: 'on the machine whose time is wrong: sudo timedatectl set-ntp true; date -u shows it' };
}
