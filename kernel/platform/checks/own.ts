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
  /** This one's id. */
  instance: string;
  /** Whether others are reached. */
  clustered: boolean;
  /** Whether this is one that others count on, and no command that ends with its work. */
  serves: boolean;
}

/** Whether the instances that work on one database hear of each other. SQLite has one alone. */
async function instancesJoined({ data, instance, clustered, serves }: InstancesParts): Promise<CheckResult | undefined> {
  if (data.dialect === 'sqlite') return undefined;
  const found = await countInstances(data.facade('kernel'), instance);
  const told =
    found === 0 ? 'No other instance works on this database' : `${found} more ${found === 1 ? 'works' : 'work'} on this database`;
  if (clustered || found + (serves ? 1 : 0) < 2) return { ok: true, message: told };
  const message = `${told}, and nothing joins them: what one does the others learn late or never`;
  return { ok: false, message, fix: 'give all of them the same PLATFORM_BUS_URL=redis://host' };
}

/** Whether the database server's clock and this machine's agree; SQLite has none of its own. */
async function databaseClock(data: Pick<Data, 'dialect' | 'facade'>, clock: Pick<Clock, 'now'>): Promise<CheckResult | undefined> {
  if (data.dialect === 'sqlite') return undefined;
  return clockCheck('the database', clock, () => readClock(data.facade('kernel')));
}

/** Checks without which nothing works; `/readyz` runs them too. */
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

/** The others that are looked at all the time: an instance serves on where they are red. */
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
