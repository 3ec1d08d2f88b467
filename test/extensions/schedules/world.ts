import type { Test } from 'tap';
import type { MembersApi } from '../../../extensions/members/contract.js';
import type { NewSchedule, Run, Schedule, SchedulesApi } from '../../../extensions/schedules/contract.js';
import { type Client, connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import type { Ledger } from '../../fixtures/extensions/labour/contract.js';
import { eachPlatform } from '../../helpers/cluster.js';
import { until } from '../../helpers/eventually.js';
import { adminPassword, callerOf, fixture, ownExtension, type PlatformOptions, type TestPlatform } from '../../helpers/platform.js';

export type SchedulesClient = Client<SchedulesApi & MembersApi>;

/** Calls of the fixture's operations, in all platforms of this process. */
export const ledger: Ledger = { lines: [], running: 0, max: 0, failed: new Map(), reported: [], stopped: [] };
Object.assign(globalThis, { labour: ledger });

export const withLabour = { extensions: [ownExtension('members'), ownExtension('schedules'), fixture('labour')] };

/** Empties the ledger. */
export function forget(): void {
  ledger.failed.clear();
  for (const list of [ledger.lines, ledger.reported, ledger.stopped]) list.length = 0;
  ledger.max = 0;
}

/** A clock that tests set. It goes on by itself, from where it was set. */
export class TestClock {
  #ahead = 0;

  now(): number {
    return Date.now() + this.#ahead;
  }

  /** Moves it, also back. */
  move(ms: number): void {
    this.#ahead += ms;
  }

  /** Sets it to an instant. */
  set(at: string): void {
    this.#ahead = Date.parse(at) - Date.now();
  }
}

export interface World {
  platform: TestPlatform;
  /** The administrator, without a network. */
  admin: SchedulesClient;
  clock: TestClock;
  /** Another instance on the same database, or another start where there can be only one. */
  again: () => Promise<TestPlatform>;
}

/** Runs a subtest on SQLite with the memory bus, and one on PostgreSQL with Redis. */
export async function onEach(t: Test, work: (t: Test, world: World) => Promise<void>, options: PlatformOptions = {}): Promise<void> {
  const clock = new TestClock();
  await eachPlatform(t, { ...withLabour, clock, ...options }, async (t, platform, again) => {
    forget();
    await work(t, { platform, admin: clientOf(platform), clock, again });
  });
}

export function clientOf({ kernel }: TestPlatform, caller = callerOf()): SchedulesClient {
  return connect<SchedulesApi & MembersApi>(kernel.operations(), direct(kernel, caller));
}

/** Makes a schedule that works once an hour, unless it is told otherwise. */
export async function scheduled(client: SchedulesClient, change: Partial<NewSchedule> = {}): Promise<Schedule> {
  const usual = { name: 'Work', trigger_type: 'interval', trigger_value: '1h', action: 'labour.work', params: { name: 'work' } } as const;
  return client.schedules.create({ ...usual, ...change });
}

/** The history, the oldest first, once it holds so many final runs. */
export async function history(client: SchedulesClient, { id }: { id: number }, count: number): Promise<Run[]> {
  const items = await until(
    async () => (await client.schedules.history({ id, limit: 200, offset: 0 })).items,
    (runs) => runs.filter(({ finished_at }) => finished_at !== null).length >= count,
  );
  return items.reverse();
}

/** Another administrator, as a client. */
export async function anotherAdmin({ platform, admin }: World, username: string): Promise<{ id: number; client: SchedulesClient }> {
  const { id } = await admin.members.create({ username, password: adminPassword, role: 'admin' });
  return { id, client: clientOf(platform, callerOf({ member_id: id, username })) };
}
