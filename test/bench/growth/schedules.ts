import { join } from 'node:path';
import { until } from '../../helpers/eventually.js';
import { claimByHand } from '../limits/claims.js';
import { SchedulesTable } from '../schedules-table.js';
import { AskedServer } from './asked.js';
import { BesideStatements, type Compared } from './beside-statements.js';
import type { Effort } from './effort.js';
import { makeFolder, removeFolder } from './folder.js';
import type { Cost, Growing, Grown } from './growth.js';

/** Schedules due at one moment, whatever else there is. */
const due = 100;
const day_ms = 86_400_000;

const listed = 'SELECT *, (SELECT count(*) FROM schedules_schedules) AS total FROM schedules_schedules ORDER BY id LIMIT 20';
const compared: readonly Compared[] = [
  { what: 'the first page of the list', ask: () => ({ path: '/api/admin/schedules?limit=20' }), statement: listed },
  {
    what: 'one by its id',
    ask: (n) => ({ path: `/api/admin/schedules/${1 + (n % due)}` }),
    statement: 'SELECT * FROM schedules_schedules WHERE id = 50',
  },
];

/** Schedules, of which a hundred come due at one moment; the others rest. */
export function schedules(sizes: readonly number[], effort: Effort, rounds: number): Growing {
  return { of: 'schedules', unit: 'run or request', sizes, open: () => GrownSchedules.open(effort, rounds) };
}

interface Parts {
  effort: Effort;
  rounds: number;
  folder: string;
  ours: AskedServer;
  table: SchedulesTable;
  servers: BesideStatements;
}

class GrownSchedules implements Grown {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async open(effort: Effort, rounds: number): Promise<GrownSchedules> {
    const folder = await makeFolder();
    const ours = await AskedServer.start('./schedules-server.js', [folder]);
    // It looks at the clock no more.
    await ours.child.ask('rest');
    const path = join(folder, 'platform.db');
    const [table, servers] = [await SchedulesTable.open(path), await BesideStatements.start(ours, path, compared)];
    return new GrownSchedules({ effort, rounds, folder, ours, table, servers });
  }

  async at(size: number): Promise<Cost[]> {
    const { table, servers, effort, rounds } = this.#parts;
    await table.fill(size);
    await table.due(Date.now() + 365 * day_ms);
    const asked = await servers.costs(effort);
    const runs = [await this.#runs(), await this.#byHand()];
    for (let round = 0; round < rounds; round += 1) runs.push(await this.#runs(), await this.#byHand());
    // The first of both are not counted.
    const cpu_us = (side: number) => runs.filter((_, at) => at > 1 && at % 2 === side).reduce((sum, cost) => sum + cost, 0) / rounds / due;
    return [{ what: 'a planned run', cpu_us: cpu_us(0), limit_cpu_us: cpu_us(1) }, ...asked];
  }

  async close(): Promise<void> {
    const { table, servers, folder } = this.#parts;
    await table.close();
    await servers.stop();
    await removeFolder(folder);
  }

  /** From the look for what is due to the end of each run. */
  async #runs(): Promise<number> {
    const { table, ours } = this.#parts;
    await table.dueFirst(due, Date.now());
    await ours.use();
    await until(
      () => table.count("status = 'success'"),
      (ended) => ended === due,
    );
    return (await ours.use()).cpu_s * 1e6;
  }

  /** By this process, of a day in which the platform sees nothing due. */
  async #byHand(): Promise<number> {
    const { table } = this.#parts;
    const at = Date.now() + 30 * day_ms;
    await table.dueFirst(due, at);
    const before = process.cpuUsage();
    const claimed = await claimByHand(table, at);
    const { user, system } = process.cpuUsage(before);
    if (claimed !== due) throw new Error(`By hand ${claimed} of ${due} were claimed`);
    return user + system;
  }
}
