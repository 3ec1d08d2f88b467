import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredNode } from '../store/stored.js';
import type { Killer } from './killing.js';
import { kill } from './scripts.js';
import { runErrand } from './walls/guard.js';

export interface OutsideParts {
  /** An image that has a shell and is trusted. */
  image: string;
  labels: (node: StoredNode) => Readonly<Record<string, string>>;
}

/** For all of it, in ms: a container has to be made and started for it. */
const limit_ms = 5_000;

/** Ends calls from a container beside theirs, which sees their processes: for images without a shell of their own. */
export function killOutside({ image, labels }: OutsideParts): Killer {
  return async (place, { leader = '', mark }) => {
    // The environments of other users' processes are read by who may trace them and read any file.
    const capabilities = ['KILL', 'SYS_PTRACE', 'DAC_READ_SEARCH'];
    const errand = { script: kill, args: [leader, mark], image, capabilities, joins: 'processes' } as const;
    const work = runErrand(place, errand, labels(place.node)).then(
      ({ code }) => code === 0,
      () => false,
    );
    return Promise.race([work, sleep(limit_ms, false, { ref: false })]);
  };
}
