import type Docker from 'dockerode';
import { filterOf, labels } from '../containers/labels.js';

/** Container in an engine's list. */
export interface ListedContainer {
  /** `created`, `running`, `paused`, `restarting`, `removing`, `exited` or `dead`. */
  state: string;
  /** Whether the image's own health check fails. */
  isUnhealthy: boolean;
}

/** Lists this installation's containers on an engine by id: one request, however many nodes are on it. */
export async function list(docker: Docker, platform: string, signal: AbortSignal): Promise<ReadonlyMap<string, ListedContainer>> {
  const found = await docker.listContainers({ all: true, filters: filterOf(platform), abortSignal: signal });
  return new Map(found.map(({ Id, State, Status }) => [Id, { state: State, isUnhealthy: /\(unhealthy\)/.test(String(Status)) }]));
}

/** Filter of the events to receive. */
export const event_filter = {
  type: ['container'],
  event: ['start', 'die', 'oom', 'destroy', 'health_status'],
} as const;

/** Returns the node id in a container's labels. */
export function nodeOf(attributes: Readonly<Record<string, string>>): number {
  return Number(attributes[labels.node]);
}
