import { isFailure, type ToolUse } from '../../../../kernel/contract/index.js';
import { fail } from '../../codes.js';
import { engineCodes } from '../../engines/codes.js';
import type { NodeUser } from '../folders.js';
import type { NodeContainer } from '../node-container.js';
import type { NodeContainers } from '../node-containers.js';

/** Codes whose messages may contain an engine's address or words. */
const engine_codes: ReadonlySet<string> = new Set([...Object.keys(engineCodes), 'node_offline', 'image_pull_failed', 'container_failed']);

/**
 * Converts a fault for members and models: only administrators may know an engine's address and messages.
 *
 * @param name the node's; undefined if it is gone
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

export interface SiteParts {
  nodes: { find(id: number): Promise<{ name: string } | undefined> };
  places: Pick<NodeContainers, 'open'>;
}

/** Container and user of a piece of work. */
interface WorkspaceUse {
  place: NodeContainer;
  lodger: NodeUser;
}

/** Runs an AI employee's work on the caller's node. */
export class NodeWorkspace {
  readonly #parts: SiteParts;
  readonly #employee_id: number;

  constructor(parts: SiteParts, employee_id: number) {
    this.#parts = parts;
    this.#employee_id = employee_id;
  }

  /**
   * Runs work on the node. The node is read again for each call.
   *
   * @throws the failures of the work; engine problems become `node_offline`, without the engine's message
   */
  async work<T>(
    { node_id, asker }: Pick<ToolUse, 'node_id'> & { asker: { member_id: number } },
    work: (desk: WorkspaceUse) => Promise<T>,
  ): Promise<T> {
    if (node_id === null) throw fail('node_offline', 'You no longer have a node on which you may work for this member');
    const { nodes, places } = this.#parts;
    try {
      const place = await places.open(node_id);
      return await work({ place, lodger: { member_id: asker.member_id, employee_id: this.#employee_id } });
    } catch (fault) {
      throw forMembers(fault, (await nodes.find(node_id))?.name);
    }
  }
}
