import type Docker from 'dockerode';
import { filterOf, labels } from '../containers/labels.js';

/** A container as an engine's list has it. */
export interface Listed {
  /** `created`, `running`, `paused`, `restarting`, `removing`, `exited` or `dead`. */
  state: string;
  /** Whether the image's own check says that it is ill. */
  ill: boolean;
}

/** All of this installation's containers on an engine, by their ids: one question, however many nodes are on it. */
export async function list(docker: Docker, platform: string, signal: AbortSignal): Promise<ReadonlyMap<string, Listed>> {
  const found = await docker.listContainers({ all: true, filters: filterOf(platform), abortSignal: signal });
  return new Map(found.map(({ Id, State, Status }) => [Id, { state: State, ill: /\(unhealthy\)/.test(String(Status)) }]));
}

/** What is heard of our containers. */
export const heard = {
  type: ['container'],
  event: ['start', 'die', 'oom', 'destroy', 'health_status'],
} as const;

/** The node that a container's labels name. */
export function nodeOf(attributes: Readonly<Record<string, string>>): number {
  return Number(attributes[labels.node]);
}
