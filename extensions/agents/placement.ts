import { type Caller, mayAdminister } from '../../kernel/contract/index.js';
import type { Place, Placing } from '../chat/contract.js';
import type { Member, MembersService } from '../members/contract.js';
import type { NodesService } from '../nodes/contract.js';
import type { EmployeeSettings, NodeUsers } from './contract.js';
import type { SettingsStore } from './profiles/store.js';

/** Where an AI employee may work, and who may have it do so. */
export interface Workplace extends Pick<EmployeeSettings, 'fallback_node_ids' | 'node_users'> {
  /** The node that it is bound to. */
  remote_node_id: number | null;
}

/** Of somebody for whom it works, what decides whether it may use its node. */
type NodeUser = Pick<Caller, 'member_id' | 'role' | 'scopes'>;

/**
 * Where an AI employee works for somebody now; `away`: that node is offline. `no_node`: it has none. `no_grant`: not
 * for them. `elsewhere`: it began the work on another node, or on none.
 */
export type Whereabouts = { node_id: number; away?: boolean } | { node_id: null; why: 'no_node' | 'no_grant' | 'elsewhere' };

/** Its nodes, the one that it is bound to first. Where it is bound to none, what waits may still go on on the others; nothing new begins there. */
export function nodesOf({ remote_node_id, fallback_node_ids }: Workplace): number[] {
  return [...new Set([...(remote_node_id === null ? [] : [remote_node_id]), ...fallback_node_ids])];
}

/** Whether it may use its node for them. */
function mayUse(users: NodeUsers, user: NodeUser): boolean {
  if (users === 'all') return true;
  return users === 'admins' ? mayAdminister(user) : users.includes(user.member_id);
}

/** Where work goes on that was begun on a node, or on none: the grant may be gone meanwhile, or the node another's. */
export function whereabouts(workplace: Workplace, user: NodeUser, begun_on: number | null): Whereabouts {
  const nodes = nodesOf(workplace);
  if (nodes.length === 0 || (begun_on === null && workplace.remote_node_id === null)) return { node_id: null, why: 'no_node' };
  if (!mayUse(workplace.node_users, user)) return { node_id: null, why: 'no_grant' };
  if (begun_on === null || !nodes.includes(begun_on)) return { node_id: null, why: 'elsewhere' };
  return { node_id: begun_on };
}

export interface PlacementParts {
  members: Pick<MembersService, 'byIds'>;
  settings: Pick<SettingsStore, 'get'>;
  /** Of the nodes that exist, whether they take new work; undefined where nothing knows nodes now. */
  readiness: (ids: readonly number[]) => Promise<Readiness> | undefined;
}

type Readiness = Awaited<ReturnType<NodesService['readiness']>>;

/** Finds for work that is to begin the node on which it does. */
export class Placement {
  readonly #parts: PlacementParts;

  constructor(parts: PlacementParts) {
    this.#parts = parts;
  }

  /** In the order in which they are given. Asks for all nodes at once. */
  async places(placings: readonly Placing[]): Promise<Place[]> {
    const members = await this.#members(placings);
    const workplaces = await this.#workplaces(placings, members);
    const wanted = placings.map(({ member_id, requested_by, scopes }) => {
      const asker = members.get(requested_by);
      return wantedBy(workplaces.get(member_id), asker && { member_id: asker.id, role: asker.role, scopes });
    });
    const readiness = await this.#readiness(wanted.flatMap((nodes) => (typeof nodes === 'string' ? [] : nodes)));
    return wanted.map((nodes) => (typeof nodes === 'string' ? { node_id: null, why: nodes } : placeAmong(nodes, readiness)));
  }

  /** Where work begins that can't wait, for an AI employee that is known already. */
  async place(workplace: Workplace, user: NodeUser): Promise<Place> {
    const nodes = workplace.remote_node_id === null ? 'no_node' : wantedBy(workplace, user);
    return typeof nodes === 'string' ? { node_id: null, why: nodes } : placeAmong(nodes, await this.#readiness(nodes));
  }

  /** How it is now with the node on which somebody works. */
  async whereabouts(workplace: Workplace, user: NodeUser, begun_on: number | null): Promise<Whereabouts> {
    const at = whereabouts(workplace, user, begun_on);
    const ready = at.node_id === null ? undefined : (await this.#readiness([at.node_id])).get(at.node_id);
    return at.node_id === null || ready !== 'node_offline' ? at : { ...at, away: true };
  }

  async #members(placings: readonly Placing[]): Promise<ReadonlyMap<number, Member>> {
    const ids = new Set(placings.flatMap(({ member_id, requested_by }) => [member_id, requested_by]));
    return new Map((await this.#parts.members.byIds([...ids])).map((member) => [member.id, member]));
  }

  async #workplaces(placings: readonly Placing[], members: ReadonlyMap<number, Member>): Promise<ReadonlyMap<number, Workplace>> {
    const ids = [...new Set(placings.map(({ member_id }) => member_id))];
    const found = ids.map(async (id): Promise<[number, Workplace]> => {
      const { settings } = await this.#parts.settings.get(id);
      return [id, { ...settings, remote_node_id: members.get(id)?.remote_node_id ?? null }];
    });
    return new Map(await Promise.all(found));
  }

  /** A node of which nothing can be learned now is away. */
  async #readiness(ids: readonly number[]): Promise<Readiness> {
    const distinct = [...new Set(ids)];
    const known = distinct.length === 0 ? new Map() : this.#parts.readiness(distinct);
    return (await known) ?? new Map(distinct.map((id) => [id, 'node_offline']));
  }
}

function wantedBy(workplace: Workplace | undefined, user: NodeUser | undefined): number[] | 'no_node' | 'no_grant' {
  if (!workplace || !user) return 'no_node';
  // First: whoever may not use a node loses nothing by its deletion.
  if (!mayUse(workplace.node_users, user)) return 'no_grant';
  const nodes = nodesOf(workplace);
  return nodes.length === 0 ? 'no_node' : nodes;
}

/** The first that is ready; where none is, the first that exists is waited for. */
function placeAmong(nodes: readonly number[], readiness: Readiness): Place {
  const ready = nodes.find((id) => readiness.get(id) === 'ready');
  if (ready !== undefined) return { node_id: ready };
  for (const node_id of nodes) {
    const waits = readiness.get(node_id);
    if (waits !== undefined && waits !== 'ready') return { node_id, waits };
  }
  return { node_id: null, why: 'no_node' };
}
