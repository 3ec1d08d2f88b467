import type { Secrets } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import { addressOf } from '../engines/address.js';
import type { Engines } from '../engines/engines.js';
import type { StoredNode } from '../store/stored.js';
import { workFault } from './faults.js';
import { containerOfNode, type NodeContainer } from './node-container.js';

export interface PlacesParts {
  nodes: { find(id: number): Promise<StoredNode | undefined> };
  engines: Pick<Engines, 'at'>;
  secrets: Pick<Secrets, 'open'>;
}

/** Opens the containers of nodes. */
export class NodeContainers {
  readonly #parts: PlacesParts;

  constructor(parts: PlacesParts) {
    this.#parts = parts;
  }

  /**
   * Opens a node's container.
   *
   * @throws `node_not_found`, `node_removing`, `node_not_ready`, `node_offline`, and failures of engines
   */
  async open(id: number): Promise<NodeContainer> {
    const { nodes } = this.#parts;
    const node = await nodes.find(id);
    if (!node) throw fail('node_not_found', `There is no work node ${id}`);
    const { name, status, reason, container_id } = node;
    if (status === 'removing') throw fail('node_removing', `The node '${name}' is being removed`);
    if (status === 'creating') throw fail('node_not_ready', `The node '${name}' is still being created; try again in a moment`);
    if (status !== 'online' || container_id === null)
      throw fail('node_offline', `The node '${name}' is offline${reason === '' ? '' : `: ${reason}`}`);
    return this.openCreated({ ...node, container_id });
  }

  /** Opens the container of a node that was just created. */
  async openCreated(node: StoredNode): Promise<NodeContainer> {
    const { engines, secrets } = this.#parts;
    try {
      return containerOfNode(node, await engines.at(addressOf(node, secrets)));
    } catch (fault) {
      throw workFault(fault, { node });
    }
  }
}
