import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { statusOf } from '../engines/failures.js';
import type { StoredNode } from '../store/stored.js';
import { filterOf } from './labels.js';
import { stop_s } from './spec.js';

/** How often what is still in use is tried again, and how long that waits, in ms. */
const tries = 10;
const pause_ms = 300;

/** Removes whatever an engine has of a node: containers, networks, volumes. What is gone already counts as removed. */
export async function removeAll(docker: Docker, platform: string, node: Pick<StoredNode, 'id'>): Promise<void> {
  const filters = filterOf(platform, node);
  const containers = await docker.listContainers({ all: true, filters });
  await Promise.all(containers.map(({ Id }) => removeContainer(docker, Id)));
  for (const { Id } of await docker.listNetworks({ filters })) await gone(() => docker.getNetwork(Id).remove());
  const { Volumes } = await docker.listVolumes({ filters });
  for (const { Name } of Volumes ?? []) await gone(() => docker.getVolume(Name).remove());
}

/** Stops a container, which has ten seconds for that, and removes it with the volumes that have no name. */
export async function removeContainer(docker: Docker, id: string): Promise<void> {
  const container = docker.getContainer(id);
  // One that never ran or has ended answers 304.
  await container.stop({ t: stop_s }).catch((fault: unknown) => {
    if (statusOf(fault) === undefined) throw fault;
  });
  await gone(() => container.remove({ force: true, v: true }));
}

/** Waits until something is gone; what another removes just now, or what still lets go of it, is tried again. */
export async function gone(remove: () => Promise<unknown>): Promise<void> {
  for (let turn = 1; ; turn += 1) {
    try {
      await remove();
      return;
    } catch (fault) {
      const status = statusOf(fault);
      if (status === 404) return;
      if (turn >= tries || (status !== 409 && status !== 403)) throw fault;
      await sleep(pause_ms);
    }
  }
}
