import type Docker from 'dockerode';
import { statusOf } from '../engines/failures.js';
import type { StoredNode } from '../store/stored.js';
import { filterOf, nameOf } from './labels.js';
import { gone } from './removal.js';
import { networkOf } from './spec.js';

/** How many ranges of addresses are tried where the engine has none left of its own. */
const tries = 64;

/** Makes a node's network unless it is there, and has its container join it. Where the container goes meanwhile, so does the network. */
export async function joinNetwork(docker: Docker, node: StoredNode, { platform, container }: Joining): Promise<void> {
  await ensureNetwork(docker, node, platform);
  try {
    // A container that has none has one by that name.
    await docker.getNetwork('none').disconnect({ Container: container });
    await docker.getNetwork(nameOf(platform, node)).connect({ Container: container });
  } catch (fault) {
    if (statusOf(fault) === 404) await gone(() => docker.getNetwork(nameOf(platform, node)).remove());
    throw fault;
  }
}

interface Joining {
  /** The installation's UUID. */
  platform: string;
  /** Its id. */
  container: string;
}

async function ensureNetwork(docker: Docker, node: StoredNode, platform: string): Promise<void> {
  const [first] = await docker.listNetworks({ filters: filterOf(platform, node) });
  if (first) return;
  try {
    await docker.createNetwork(networkOf(node, platform));
  } catch (fault) {
    if (!isExhausted(fault)) throw fault;
    await createInOwnRange(docker, node, platform);
  }
}

/** An engine has some thirty ranges of its own; after that each network gets one of sixteen addresses. */
async function createInOwnRange(docker: Docker, node: StoredNode, platform: string): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    try {
      await docker.createNetwork(networkOf(node, platform, rangeOf(node.id * 31 + turn)));
      return;
    } catch (fault) {
      const again = turn + 1 < tries && /overlaps/i.test(String((fault as Error).message));
      if (!again) throw fault;
    }
  }
}

/** One of 65,536 ranges in 10.224.0.0/12. */
export function rangeOf(n: number): string {
  const address = (n % 65_536) * 16;
  return `10.${224 + Math.floor(address / 65_536)}.${Math.floor(address / 256) % 256}.${address % 256}/28`;
}

function isExhausted(fault: unknown): boolean {
  return statusOf(fault) !== undefined && /address pool|fully subnetted/i.test(String((fault as Error).message));
}
