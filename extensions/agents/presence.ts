import type { Context, PresenceProvider } from '../../kernel/contract/index.js';
import type { Member, MembersEvents, MembersService } from '../members/contract.js';
import type { NodesEvents } from '../nodes/contract.js';
import type { Agents } from './contract.js';
import { nodesOf, type PlacementParts } from './placement.js';
import type { SettingsStore } from './profiles/store.js';

interface AvailabilityParts extends Pick<PlacementParts, 'readiness'> {
  settings: Pick<SettingsStore, 'of' | 'defaults'>;
}

type Employee = Pick<Member, 'id' | 'remote_node_id'>;

/** Returns the ids of AI employees that can't start work: they are bound to a node, and none of their nodes is ready. */
export async function unavailableAmong(
  employees: readonly Employee[],
  { settings: store, readiness }: AvailabilityParts,
): Promise<ReadonlySet<number>> {
  const withNode = employees.filter(({ remote_node_id }) => remote_node_id !== null);
  if (withNode.length === 0) return new Set();
  const stored = await store.of(withNode.map(({ id }) => id));
  const bound = withNode.map(({ id, remote_node_id }) => {
    const { settings } = stored.get(id) ?? store.defaults;
    return { id, nodes: nodesOf({ ...settings, remote_node_id }) };
  });
  const ready = await readiness([...new Set(bound.flatMap(({ nodes }) => nodes))]);
  return new Set(bound.filter(({ nodes }) => nodes.every((node) => ready?.get(node) !== 'ready')).map(({ id }) => id));
}

interface PresenceParts extends AvailabilityParts {
  members: Pick<MembersService, 'virtuals'>;
}

/** Provides the presence of AI employees: online if one of their nodes is ready or they need none. */
export function presenceOf({ members, ...parts }: PresenceParts): PresenceProvider {
  return {
    present: async () => {
      const employees = (await members.virtuals()).filter(({ active }) => active);
      const away = await unavailableAmong(employees, parts);
      return new Map(employees.flatMap(({ id }) => (away.has(id) ? [] : [[id, 'online']])));
    },
  };
}

/** Refreshes presence as soon as a node or an AI employee has changed, before the change is answered. */
export function refreshPresence(ctx: Pick<Context<Agents>, 'take' | 'db' | 'presence'>): void {
  const refresh = () => ctx.db.afterCommit(() => ctx.presence.refresh());
  ctx.take<NodesEvents['nodes.changed']>('nodes.changed', async () => refresh());
  for (const topic of ['members.created', 'members.changed'] as const)
    ctx.take<MembersEvents[typeof topic]>(topic, async ({ is_virtual }) => {
      if (is_virtual) refresh();
    });
}
