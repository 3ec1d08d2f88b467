import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { statusOf } from '../engines/failures.js';
import type { StoredNode } from '../store/stored.js';
import { filterOf } from './labels.js';
import { stop_s } from './spec.js';

/** Number and interval (ms) of retries for resources still in use. */
const max_attempts = 10;
const retry_ms = 300;

/** Removes all resources of a node from an engine: containers, networks, volumes. Missing ones count as removed. */
export async function removeAll(docker: Docker, platform: string, node: Pick<StoredNode, 'id'>): Promise<void> {
  const filters = filterOf(platform, node);
  const containers = await docker.listContainers({ all: true, filters });
  await Promise.all(containers.map(({ Id }) => removeContainer(docker, Id)));
  for (const { Id } of await docker.listNetworks({ filters })) await removeUntilGone(() => docker.getNetwork(Id).remove());
  const { Volumes } = await docker.listVolumes({ filters });
  for (const { Name } of Volumes ?? []) await removeUntilGone(() => docker.getVolume(Name).remove());
}

/** Stops a container within ten seconds, and removes it with its anonymous volumes. */
export async function removeContainer(docker: Docker, id: string): Promise<void> {
  const container = docker.getContainer(id);
  // A container that never ran or has ended answers 304.
  await container.stop({ t: stop_s }).catch((fault: unknown) => {
    if (statusOf(fault) === undefined) throw fault;
  });
  await removeUntilGone(() => container.remove({ force: true, v: true }));
}

/** Removes something and waits until it is gone; retries while another process removes it or something still uses it. */
export async function removeUntilGone(remove: () => Promise<unknown>): Promise<void> {
  for (let turn = 1; ; turn += 1) {
    try {
      await remove();
      return;
    } catch (fault) {
      const status = statusOf(fault);
      if (status === 404) return;
      if (turn >= max_attempts || (status !== 409 && status !== 403)) throw fault;
      await sleep(retry_ms);
    }
  }
}
