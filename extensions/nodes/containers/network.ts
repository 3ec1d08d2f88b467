import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { statusOf } from '../engines/failures.js';
import type { StoredNode } from '../store/stored.js';
import { filterOf, nameOf } from './labels.js';
import { removeUntilGone } from './removal.js';
import { networkOf } from './spec.js';

/** Limit of address ranges to try if the engine's pools are exhausted. */
const max_range_attempts = 64;

/** Number and interval (ms) of checks whether another process has connected a container to its network. */
const max_checks = 5;
const pause_ms = 200;

/** Creates a node's network unless it exists, and connects its container. If the container disappears meanwhile, removes the network. */
export async function joinNetwork(docker: Docker, node: StoredNode, { platform, container }: Joining): Promise<void> {
  const { id, isNew } = await ensureNetwork(docker, node, platform);
  const connect = () => docker.getNetwork(id).connect({ Container: container });
  try {
    // A container without a network is in one called `none`. If several processes connect it at once, one succeeds in leaving it.
    await docker.getNetwork('none').disconnect({ Container: container });
    await connect();
  } catch (fault) {
    // Remove by id: two processes that created one at once each have one by that name.
    if (isNew) await removeUntilGone(() => docker.getNetwork(id).remove()).catch(() => undefined);
    const name = nameOf(platform, node);
    const networks = () => networksOf(docker.getContainer(container));
    const found = await networks();
    if (found?.includes(name)) return;
    // A process killed between the two steps left the container without any network, and the network behind.
    if (isNew || found?.length !== 0) throw fault;
    await connect().catch(async (refused: unknown) => {
      if (!(await networks())?.includes(name)) throw refused;
    });
  }
}

interface Joining {
  /** Installation's UUID. */
  platform: string;
  /** Container id. */
  container: string;
}

interface Network {
  id: string;
  /** Whether it was created now. */
  isNew: boolean;
}

/** Returns the container's networks once another process has connected it, or after a while; undefined if it is gone. */
async function networksOf(container: Docker.Container): Promise<string[] | undefined> {
  for (let turn = 1; ; turn += 1) {
    const found = await container.inspect().catch((fault: unknown) => {
      if (statusOf(fault) !== 404) throw fault;
      return undefined;
    });
    const names = found && Object.keys(found.NetworkSettings.Networks);
    if (!names || turn > max_checks || names.some((name) => name !== 'none')) return names;
    await sleep(pause_ms);
  }
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

/**
 * Creates the network in a range of ours. An engine has some thirty ranges of its own; after that each network gets one
 * of sixteen addresses.
 */
async function createInOwnRange(docker: Docker, node: StoredNode, platform: string): Promise<string> {
  for (let turn = 0; ; turn += 1) {
    try {
      return (await docker.createNetwork(networkOf(node, platform, rangeOf(node.id * 31 + turn)))).id;
    } catch (fault) {
      const again = turn + 1 < max_range_attempts && /overlaps/i.test(String((fault as Error).message));
      if (!again) throw fault;
    }
  }
}

/** Returns one of 65,536 ranges in 10.224.0.0/12. */
export function rangeOf(n: number): string {
  const address = (n % 65_536) * 16;
  return `10.${224 + Math.floor(address / 65_536)}.${Math.floor(address / 256) % 256}.${address % 256}/28`;
}

function isExhausted(fault: unknown): boolean {
  return statusOf(fault) !== undefined && /address pool|fully subnetted/i.test(String((fault as Error).message));
}
