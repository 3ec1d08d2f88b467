import { clockCheck } from '../../contract/clock-check.js';
import type { CheckResult, Clock } from '../../contract/extension.js';
import type { Check } from '../../core/catalog/draft.js';
import { foldersOf, parseAddress } from '../data/address.js';
import type { Data } from '../data/hub.js';
import type { Transport } from '../transport/transport.js';
import { databaseHeld } from './database-held.js';
import { diskRoom } from './disk.js';
import { eventsHeld } from './events-held.js';
import { countInstances, readClock } from './server-sql.js';

interface InstancesParts {
  data: Pick<Data, 'dialect' | 'facade'>;
  /** Id of this instance. */
  instance: string;
  /** Whether the bus reaches other instances. */
  clustered: boolean;
  /** Whether this is a server instance, not a single command. */
  serves: boolean;
}

/** Checks that instances on one database share a bus. Not needed with SQLite, which allows one instance. */
async function instancesJoined({ data, instance, clustered, serves }: InstancesParts): Promise<CheckResult | undefined> {
  if (data.dialect === 'sqlite') return undefined;
  const found = await countInstances(data.facade('kernel'), instance);
  const state =
    found === 0 ? 'No other instance uses this database' : `${found} more ${found === 1 ? 'instance uses' : 'instances use'} this database`;
  if (clustered || found + (serves ? 1 : 0) < 2) return { ok: true, message: state };
  const message = `${state} without a shared bus: they learn of each other's changes late or never`;
  return { ok: false, message, fix: 'give all of them the same PLATFORM_BUS_URL=redis://host' };
}

/** Checks that the clocks of the database server and this machine agree; SQLite uses this machine's. */
async function databaseClock(data: Pick<Data, 'dialect' | 'facade'>, clock: Pick<Clock, 'now'>): Promise<CheckResult | undefined> {
  if (data.dialect === 'sqlite') return undefined;
  return clockCheck('the database', clock, () => readClock(data.facade('kernel')));
}

/** Returns checks that must pass for an instance to serve; `/readyz` runs them too. */
export function vitalChecks({ data, transport }: { data: Data; transport: Transport }): Check[] {
  return [
    { code: 'database', probe: () => data.ping().then(() => ({ ok: true, message: `The database (${data.dialect}) answers` })) },
    { code: 'bus', probe: () => transport.ping().then(() => ({ ok: true, message: 'The bus answers' })) },
  ];
}

export interface OwnParts extends InstancesParts {
  data: Data;
  clock: Clock;
  data_dir: string;
  database_url: string;
  /** The setting, empty if it is not set. */
  min_free_bytes: number | '';
}

/** Returns the other regular checks: an instance keeps serving if they are red. */
export function ownChecks({ data, clock, data_dir, database_url, min_free_bytes, ...parts }: OwnParts): Check[] {
  const address = parseAddress(database_url, data_dir);
  return [
    { code: 'database_held', probe: () => databaseHeld(data, address) },
    { code: 'events_held', probe: () => eventsHeld(data, clock) },
    { code: 'database_clock', probe: () => databaseClock(data, clock) },
    { code: 'instances', probe: () => instancesJoined({ data, ...parts }) },
    ...foldersOf(address, data_dir).map((folder) => ({
      code: folder === data_dir ? 'disk' : 'database_disk',
      probe: () => diskRoom(folder, min_free_bytes),
    })),
  ];
}
