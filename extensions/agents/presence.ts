import type { Context, PresenceProvider } from '../../kernel/contract/index.js';
import type { Member, MembersEvents, MembersService } from '../members/contract.js';
import type { NodesEvents } from '../nodes/contract.js';
import type { Agents } from './contract.js';
import { nodesOf, type PlacementParts } from './placement.js';
import type { SettingsStore } from './profiles/store.js';

interface AwayParts extends Pick<PlacementParts, 'readiness'> {
  settings: Pick<SettingsStore, 'of' | 'usual'>;
}

type Employee = Pick<Member, 'id' | 'remote_node_id'>;

/** The ids of those AI employees that can't begin anything: bound to a node, where neither it nor one of their others is ready. */
export async function awayAmong(employees: readonly Employee[], { settings: store, readiness }: AwayParts): Promise<ReadonlySet<number>> {
  const working = employees.filter(({ remote_node_id }) => remote_node_id !== null);
  if (working.length === 0) return new Set();
  const kept = await store.of(working.map(({ id }) => id));
  const bound = working.map(({ id, remote_node_id }) => {
    const { settings } = kept.get(id) ?? store.usual;
    return { id, nodes: nodesOf({ ...settings, remote_node_id }) };
  });
  const ready = await readiness([...new Set(bound.flatMap(({ nodes }) => nodes))]);
  return new Set(bound.filter(({ nodes }) => nodes.every((node) => ready?.get(node) !== 'ready')).map(({ id }) => id));
}

interface PresenceParts extends AwayParts {
  members: Pick<MembersService, 'virtuals'>;
}

/** The presence of AI employees: online while one of their nodes is ready, or where they need none. */
export function presenceOf({ members, ...parts }: PresenceParts): PresenceProvider {
  return {
    present: async () => {
      const employees = (await members.virtuals()).filter(({ active }) => active);
      const away = await awayAmong(employees, parts);
      return new Map(employees.flatMap(({ id }) => (away.has(id) ? [] : [[id, 'online']])));
    },
  };
}

/** Has presence asked again as soon as a node or an AI employee has changed, before the change is answered. */
export function refreshPresence(ctx: Pick<Context<Agents>, 'take' | 'db' | 'presence'>): void {
  const refresh = () => ctx.db.afterCommit(() => ctx.presence.refresh());
  ctx.take<NodesEvents['nodes.changed']>('nodes.changed', async () => refresh());
  for (const topic of ['members.created', 'members.changed'] as const)
    ctx.take<MembersEvents[typeof topic]>(topic, async ({ is_virtual }) => {
      if (is_virtual) refresh();
    });
}
