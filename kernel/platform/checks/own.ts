import type { Clock } from '../../contract/extension.js';
import type { Check } from '../../core/catalog/draft.js';
import { foldersOf, parseAddress } from '../data/address.js';
import type { Data } from '../data/hub.js';
import type { Transport } from '../transport/transport.js';
import { databaseClock } from './database-clock.js';
import { databaseHeld } from './database-held.js';
import { diskRoom } from './disk.js';
import { eventsHeld } from './events-held.js';
import { type InstancesParts, instancesJoined } from './instances.js';

/** What nothing works without: asked by `/readyz` too. */
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
