import { type Caller, mayAdminister } from '../../kernel/contract/index.js';
import type { Place, Placing, RoomAudience } from '../chat/contract.js';
import type { Member, MembersService } from '../members/contract.js';
import type { NodesService } from '../nodes/contract.js';
import type { EmployeeSettings, NodeUsers } from './contract.js';
import type { SettingsStore } from './profiles/store.js';

/** Nodes an AI employee may work on, and members who may let it. */
export interface NodeAssignment extends Pick<EmployeeSettings, 'fallback_node_ids' | 'node_users'> {
  /** Node it is bound to. */
  remote_node_id: number | null;
}

/** Traits of the member it works for that decide whether it may use its node. */
type NodeUser = Pick<Caller, 'member_id' | 'role' | 'scopes'>;

/**
 * Node an AI employee works on for a member now; `away`: the node is offline. `no_node`: it has none. `no_grant`: the
 * member lacks permission. `elsewhere`: the work began on another node, or on none.
 */
export type WorkLocation = { node_id: number; away?: boolean } | { node_id: null; why: 'no_node' | 'no_grant' | 'elsewhere' };

/**
 * Returns its nodes, the bound one first. If it is bound to none, waiting work may continue on the others, but nothing
 * new begins there.
 */
export function nodesOf({ remote_node_id, fallback_node_ids }: NodeAssignment): number[] {
  return [...new Set([...(remote_node_id === null ? [] : [remote_node_id]), ...fallback_node_ids])];
}

/** Returns whether the employee may use its node for the member. */
function mayUse(users: NodeUsers, user: NodeUser): boolean {
  if (users === 'all') return true;
  return users === 'admins' ? mayAdminister(user) : users.includes(user.member_id);
}

/** Returns whether the employee may use its node for everyone who reads a room. A plugin's own member may use none. */
export function mayUseForAll(users: NodeUsers, { people, plugins, visibility }: RoomAudience, admins: ReadonlySet<number>): boolean {
  if (plugins.length > 0) return false;
  if (users === 'all') return true;
  if (visibility === 'open') return false;
  return people.every((id) => (users === 'admins' ? admins.has(id) : users.includes(id)));
}

/** Returns the node on which work continues. The permission may have been revoked since it began, or the node reassigned. */
export function locationOf(workplace: NodeAssignment, user: NodeUser, started_on: number | null): WorkLocation {
  const nodes = nodesOf(workplace);
  if (nodes.length === 0 || (started_on === null && workplace.remote_node_id === null)) return { node_id: null, why: 'no_node' };
  if (!mayUse(workplace.node_users, user)) return { node_id: null, why: 'no_grant' };
  if (started_on === null || !nodes.includes(started_on)) return { node_id: null, why: 'elsewhere' };
  return { node_id: started_on };
}

export interface PlacementParts {
  members: Pick<MembersService, 'byIds'>;
  settings: Pick<SettingsStore, 'get'>;
  /** Returns the state of existing nodes; undefined if no extension provides nodes. */
  readiness: (ids: readonly number[]) => Promise<Readiness> | undefined;
}

type Readiness = Awaited<ReturnType<NodesService['readiness']>>;

/** Chooses nodes for work that begins. */
export class Placement {
  readonly #parts: PlacementParts;

  constructor(parts: PlacementParts) {
    this.#parts = parts;
  }

  /** Chooses nodes, in the order of the requests. Reads the state of all nodes at once. */
  async places(placings: readonly Placing[]): Promise<Place[]> {
    const members = await this.#members(placings);
    const workplaces = await this.#workplaces(placings, members);
    const candidates = placings.map(({ member_id, requested_by, scopes }) => {
      const asker = members.get(requested_by);
      return candidatesFor(workplaces.get(member_id), asker && { member_id: asker.id, role: asker.role, scopes });
    });
    const readiness = await this.#readiness(candidates.flatMap((nodes) => (typeof nodes === 'string' ? [] : nodes)));
    return candidates.map((nodes) => (typeof nodes === 'string' ? { node_id: null, why: nodes } : chooseNode(nodes, readiness)));
  }

  /** Chooses the node for work that can't wait, for a known AI employee. */
  async place(workplace: NodeAssignment, user: NodeUser): Promise<Place> {
    const nodes = workplace.remote_node_id === null ? 'no_node' : candidatesFor(workplace, user);
    return typeof nodes === 'string' ? { node_id: null, why: nodes } : chooseNode(nodes, await this.#readiness(nodes));
  }

  /** Returns the node on which work continues, with its current state. */
  async whereabouts(workplace: NodeAssignment, user: NodeUser, begun_on: number | null): Promise<WorkLocation> {
    const at = locationOf(workplace, user, begun_on);
    const ready = at.node_id === null ? undefined : (await this.#readiness([at.node_id])).get(at.node_id);
    return at.node_id === null || ready !== 'node_offline' ? at : { ...at, away: true };
  }

  async #members(placings: readonly Placing[]): Promise<ReadonlyMap<number, Member>> {
    const ids = new Set(placings.flatMap(({ member_id, requested_by }) => [member_id, requested_by]));
    return new Map((await this.#parts.members.byIds([...ids])).map((member) => [member.id, member]));
  }

  async #workplaces(placings: readonly Placing[], members: ReadonlyMap<number, Member>): Promise<ReadonlyMap<number, NodeAssignment>> {
    const ids = [...new Set(placings.map(({ member_id }) => member_id))];
    const found = ids.map(async (id): Promise<[number, NodeAssignment]> => {
      const { settings } = await this.#parts.settings.get(id);
      return [id, { ...settings, remote_node_id: members.get(id)?.remote_node_id ?? null }];
    });
    return new Map(await Promise.all(found));
  }

  /** Reads the state of nodes. A node with unknown state counts as offline. */
  async #readiness(ids: readonly number[]): Promise<Readiness> {
    const distinct = [...new Set(ids)];
    const known = distinct.length === 0 ? new Map() : this.#parts.readiness(distinct);
    return (await known) ?? new Map(distinct.map((id) => [id, 'node_offline']));
  }
}

function candidatesFor(workplace: NodeAssignment | undefined, user: NodeUser | undefined): number[] | 'no_node' | 'no_grant' {
  if (!workplace || !user) return 'no_node';
  // Check permission first: a member who may not use a node is not affected by its deletion.
  if (!mayUse(workplace.node_users, user)) return 'no_grant';
  const nodes = nodesOf(workplace);
  return nodes.length === 0 ? 'no_node' : nodes;
}

/** Chooses the first ready node; if none is ready, the first that exists is waited for. */
function chooseNode(nodes: readonly number[], readiness: Readiness): Place {
  const ready = nodes.find((id) => readiness.get(id) === 'ready');
  if (ready !== undefined) return { node_id: ready };
  for (const node_id of nodes) {
    const waits = readiness.get(node_id);
    if (waits !== undefined && waits !== 'ready') return { node_id, waits };
  }
  return { node_id: null, why: 'no_node' };
}
