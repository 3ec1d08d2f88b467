import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredNode } from '../store/stored.js';
import { type GuardImageParts, guardImageOf } from './guard-image.js';
import type { Killer, Victim } from './killing.js';
import type { NodeContainer } from './node-container.js';
import { kill, killed } from './scripts.js';
import { runHelper } from './walls/guard.js';

export interface OutsideParts extends GuardImageParts {
  labels: (node: StoredNode) => Readonly<Record<string, string>>;
}

/** Time limit in ms: an image may have to be pulled, and a container created and started. */
const limit_ms = 30_000;

/**
 * Kills calls from a second container that sees their processes: for images without a shell, and for containers that
 * can't start another process.
 */
export function killOutside(parts: OutsideParts): Killer {
  return async (place, victim) => {
    const work = errand(parts, place, victim).catch(() => false);
    return Promise.race([work, sleep(limit_ms, false, { ref: false })]);
  };
}

async function errand(parts: OutsideParts, place: NodeContainer, { leader = '', mark }: Victim): Promise<boolean> {
  const { reference: image } = await guardImageOf(place, parts);
  // Reading the environments of other users' processes requires tracing and reading any file.
  const capabilities = ['KILL', 'SYS_PTRACE', 'DAC_READ_SEARCH'];
  const task = { script: kill, args: [leader, mark], image, capabilities, joins: 'processes' } as const;
  const { code, stdout } = await runHelper(place, task, parts.labels(place.node));
  return code === 0 && stdout.includes(killed);
}
