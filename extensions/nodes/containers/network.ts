import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { statusOf } from '../engines/failures.js';
import type { StoredNode } from '../store/stored.js';
import { filterOf, nameOf } from './labels.js';
import { gone } from './removal.js';
import { networkOf } from './spec.js';

/** How many ranges of addresses are tried where the engine has none left of its own. */
const tries = 64;

/** How often, and in which pauses, in ms, it is looked whether another has joined a container to its network meanwhile. */
const looks = 5;
const pause_ms = 200;

/** Makes a node's network unless it is there, and has its container join it. Where the container goes meanwhile, so does the network. */
export async function joinNetwork(docker: Docker, node: StoredNode, { platform, container }: Joining): Promise<void> {
  const { id, isNew } = await ensureNetwork(docker, node, platform);
  try {
    // A container that has none has one by that name.
    await docker.getNetwork('none').disconnect({ Container: container });
    await docker.getNetwork(id).connect({ Container: container });
  } catch (fault) {
    // By its id: of two who made one at once, each has one by that name.
    if (isNew) await gone(() => docker.getNetwork(id).remove()).catch(() => undefined);
    if (!(await isJoined(docker.getContainer(container), nameOf(platform, node)))) throw fault;
  }
}

interface Joining {
  /** The installation's UUID. */
  platform: string;
  /** Its id. */
  container: string;
}

interface Network {
  id: string;
  /** It wasn't there before. */
  isNew: boolean;
}

/** Whether another has done it. */
async function isJoined(container: Docker.Container, name: string): Promise<boolean> {
  for (let turn = 1; turn <= looks; turn += 1) {
    const found = await container.inspect().catch((fault: unknown) => {
      if (statusOf(fault) !== 404) throw fault;
    });
    if (!found) return false;
    if (found.NetworkSettings.Networks[name]) return true;
    await sleep(pause_ms);
  }
  return false;
}

async function ensureNetwork(docker: Docker, node: StoredNode, platform: string): Promise<Network> {
  const [first] = await docker.listNetworks({ filters: filterOf(platform, node) });
  if (first) return { id: first.Id, isNew: false };
  try {
    return { id: (await docker.createNetwork(networkOf(node, platform))).id, isNew: true };
  } catch (fault) {
    if (!isExhausted(fault)) throw fault;
    return { id: await createInOwnRange(docker, node, platform), isNew: true };
  }
}

/** An engine has some thirty ranges of its own; after that each network gets one of sixteen addresses. */
async function createInOwnRange(docker: Docker, node: StoredNode, platform: string): Promise<string> {
  for (let turn = 0; ; turn += 1) {
    try {
      return (await docker.createNetwork(networkOf(node, platform, rangeOf(node.id * 31 + turn)))).id;
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
