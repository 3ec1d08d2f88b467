import { isFailure, type ToolUse } from '../../../../kernel/contract/index.js';
import { fail } from '../../codes.js';
import { engineCodes } from '../../engines/codes.js';
import type { NodeUser } from '../folders.js';
import type { NodeContainer } from '../node-container.js';
import type { NodeContainers } from '../node-containers.js';

/** Codes whose messages may contain an engine's address or its own messages. */
const engine_codes: ReadonlySet<string> = new Set([...Object.keys(engineCodes), 'node_offline', 'image_pull_failed', 'container_failed']);

/**
 * Converts a fault to one that members and models may see: only administrators may know an engine's address and messages.
 *
 * @param name the node's; undefined if the node was deleted
 */
function forMembers(fault: unknown, name: string | undefined): unknown {
  if (!isFailure(fault)) return fault;
  const node = name === undefined ? 'The node' : `The node '${name}'`;
  if (fault.code === 'no_shell') return fail('no_shell', `${node} has no shell, so commands can't be run in it`, { cause: fault });
  if (!engine_codes.has(fault.code)) return fault;
  if (fault.code === 'container_failed')
    return fail('container_failed', `${node} runs, but can't run commands; administrators can see why`, { cause: fault });
  return fail('node_offline', `${node} is offline; administrators can see why`, { cause: fault });
}

export interface WorkspaceParts {
  nodes: { find(id: number): Promise<{ name: string } | undefined> };
  places: Pick<NodeContainers, 'open'>;
}

/** Member for whom work is done, and the room, if it is done in one. */
interface WorkspaceAsker {
  member_id: number;
  room?: { readonly number?: number | undefined } | undefined;
}

/** Where work runs, and for whom. */
interface WorkspaceUse {
  place: NodeContainer;
  nodeUser: NodeUser;
}

/** Runs an AI employee's work in a node's container. */
export class NodeWorkspace {
  readonly #parts: WorkspaceParts;
  readonly #employee_id: number;

  constructor(parts: WorkspaceParts, employee_id: number) {
    this.#parts = parts;
    this.#employee_id = employee_id;
  }

  /** Returns whose folder is used. Fails with `node_offline` for a room without a number, which has none. */
  #userOf({ member_id, room }: WorkspaceAsker): NodeUser {
    if (room && room.number === undefined) throw fail('node_offline', 'This room has no folder on the node');
    return { member_id, room: room?.number, employee_id: this.#employee_id };
  }

  /**
   * Runs `work` in the container of the node, which is read again for each call.
   *
   * @throws `node_offline` without a node, and for problems of the engine, without its message; the failures of `work`
   */
  async work<T>(
    { node_id, asker }: Pick<ToolUse, 'node_id'> & { asker: WorkspaceAsker },
    work: (use: WorkspaceUse) => Promise<T>,
  ): Promise<T> {
    if (node_id === null) throw fail('node_offline', 'You no longer have a node on which you may work for this member');
    const { nodes, places } = this.#parts;
    try {
      const place = await places.open(node_id);
      return await work({ place, nodeUser: this.#userOf(asker) });
    } catch (fault) {
      throw forMembers(fault, (await nodes.find(node_id))?.name);
    }
  }
}
