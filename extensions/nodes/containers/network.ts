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
  const connect = () => docker.getNetwork(id).connect({ Container: container });
  try {
    // A container that has none has one by that name. Of several who join it at once, one succeeds in this.
    await docker.getNetwork('none').disconnect({ Container: container });
    await connect();
  } catch (fault) {
    // By its id: of two who made one at once, each has one by that name.
    if (isNew) await gone(() => docker.getNetwork(id).remove()).catch(() => undefined);
    const name = nameOf(platform, node);
    const networks = () => networksOf(docker.getContainer(container));
    const found = await networks();
    if (found?.includes(name)) return;
    // Whoever was killed between the two steps has left it without any, and its network behind.
    if (isNew || found?.length !== 0) throw fault;
    await connect().catch(async (refused: unknown) => {
      if (!(await networks())?.includes(name)) throw refused;
    });
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

/** The names of its networks, once another has joined it to some, or after a while; undefined where it is gone. */
async function networksOf(container: Docker.Container): Promise<string[] | undefined> {
  for (let turn = 1; ; turn += 1) {
    const found = await container.inspect().catch((fault: unknown) => {
      if (statusOf(fault) !== 404) throw fault;
      return undefined;
    });
    const names = found && Object.keys(found.NetworkSettings.Networks);
    if (!names || turn > looks || names.some((name) => name !== 'none')) return names;
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
