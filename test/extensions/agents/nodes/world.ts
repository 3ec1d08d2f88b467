import type { Test } from 'tap';
import type { NodeUsers } from '../../../../extensions/agents/contract.js';
import type { Sent, Task } from '../../../../extensions/chat/contract.js';
import type { NodeStatus } from '../../../../extensions/nodes/contract.js';
import type { StreamEvent } from '../../../../kernel/contract/index.js';
import type { Nodes } from '../../../fixtures/extensions/yard/contract.js';
import { until } from '../../../helpers/eventually.js';
import { callerOf, fixture, ownExtension, type PlatformOptions, type TestPlatform } from '../../../helpers/platform.js';
import { administrator, type PlatformClient } from '../../chat/world.js';
import { agentsOf } from '../employment.js';
import { onOneAndTwo, type Place } from '../world.js';

/** The fixture's nodes: those of all platforms of this process. */
const nodes: Nodes = new Map();
Object.assign(globalThis, { yard: nodes });

const withYard = {
  extensions: [...['members', 'chat', 'agents'].map(ownExtension), fixture('toolsmith'), fixture('yard')],
};

/** Runs a subtest on one instance with SQLite, and one on two with PostgreSQL and Redis; each has nodes that a test says. */
export function withNodes(t: Test, work: (t: Test, place: Place) => Promise<void>, options: PlatformOptions = {}): Promise<void> {
  return onOneAndTwo(t, work, { ...withYard, ...options });
}

let made = 0;

/** A new node. */
export function node(status: NodeStatus = 'online', { draining = false } = {}): number {
  made += 1;
  nodes.set(made, { status, draining });
  return made;
}

/** Says how a node is from now on. With `silent` nobody is told. */
export async function turn(
  { kernel }: TestPlatform,
  id: number,
  status: NodeStatus,
  { draining = false, silent = false } = {},
): Promise<void> {
  await kernel.invoke('nodes.turn', { id, status, draining, silent }, callerOf());
}

/** Deletes a node. */
export async function drop({ kernel }: TestPlatform, id: number): Promise<void> {
  await kernel.invoke('nodes.drop', { id }, callerOf());
}

/** An AI employee that works on a node; gives its id. */
export async function onNode(
  platform: TestPlatform,
  remote_node_id: number,
  { users = 'all', others = [] }: { users?: NodeUsers; others?: number[] } = {},
): Promise<number> {
  const { members } = administrator(platform);
  const { id } = await members.create_virtual({ name: 'Vic', mode: 'autonomous' });
  await members.update({ id, remote_node_id });
  await agentsOf(platform).update({ member_id: id, node_users: users, fallback_node_ids: others });
  return id;
}

/** The task as it is once it is like this. */
export function taskOf(client: PlatformClient, { task_id }: Sent, wanted: Partial<Task>): Promise<Task> {
  const isSo = (task: Task) => Object.entries(wanted).every(([key, value]) => task[key as keyof Task] === value);
  return until(() => client.tasks.get({ task_id: task_id as string }), isSo);
}

/** The states that a task went through, as its readers were told: `queued node_offline`. */
export function statesIn(events: readonly StreamEvent[]): string[] {
  return events.flatMap(({ type, data }) => {
    if (type !== 'task.updated') return [];
    const { status, reason } = (data as { task: Task }).task;
    return [reason === null ? status : `${status} ${reason}`];
  });
}
