import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredNode } from '../store/stored.js';
import { type GuardImageParts, guardImageOf } from './guard-image.js';
import type { Killer, Victim } from './killing.js';
import type { Place } from './place.js';
import { kill, killed } from './scripts.js';
import { runErrand } from './walls/guard.js';

export interface OutsideParts extends GuardImageParts {
  labels: (node: StoredNode) => Readonly<Record<string, string>>;
}

/** For all of it, in ms: an image may have to be fetched, and a container made and started. */
const limit_ms = 30_000;

/**
 * Ends calls from a container beside theirs, which sees their processes: for images without a shell of their own, and
 * for containers that have no room for another process.
 */
export function killOutside(parts: OutsideParts): Killer {
  return async (place, victim) => {
    const work = errand(parts, place, victim).catch(() => false);
    return Promise.race([work, sleep(limit_ms, false, { ref: false })]);
  };
}

async function errand(parts: OutsideParts, place: Place, { leader = '', mark }: Victim): Promise<boolean> {
  const { reference: image } = await guardImageOf(place, parts);
  // The environments of other users' processes are read by who may trace them and read any file.
  const capabilities = ['KILL', 'SYS_PTRACE', 'DAC_READ_SEARCH'];
  const task = { script: kill, args: [leader, mark], image, capabilities, joins: 'processes' } as const;
  const { code, stdout } = await runErrand(place, task, parts.labels(place.node));
  return code === 0 && stdout.includes(killed);
}
