import { clockCheck } from '../../contract/clock-check.js';
import type { CheckResult, Clock } from '../../contract/extension.js';
import type { Data } from '../data/hub.js';

/** Whether the database server's clock and this machine's agree; SQLite has none of its own. */
export async function databaseClock(data: Pick<Data, 'dialect' | 'facade'>, clock: Pick<Clock, 'now'>): Promise<CheckResult | undefined> {
  if (data.dialect === 'sqlite') return undefined;
  return clockCheck('the database', clock, async () => {
    const sql = 'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS double precision) AS now';
    const [row] = await data.facade('kernel').rows<{ now: number }>(sql);
    return Number(row?.now);
  });
}
