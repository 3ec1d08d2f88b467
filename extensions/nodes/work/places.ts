import type { Secrets } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import { addressOf } from '../engines/address.js';
import type { Engines } from '../engines/engines.js';
import type { StoredNode } from '../store/stored.js';
import { workFault } from './faults.js';
import { type Place, placeOf } from './place.js';

export interface PlacesParts {
  nodes: { find(id: number): Promise<StoredNode | undefined> };
  engines: Pick<Engines, 'at'>;
  secrets: Pick<Secrets, 'open'>;
}

/** Finds the containers of nodes. */
export class Places {
  readonly #parts: PlacesParts;

  constructor(parts: PlacesParts) {
    this.#parts = parts;
  }

  /** @throws `node_not_found`, `node_removing`, `node_not_ready`, `node_offline`, and what engines fail with */
  async open(id: number): Promise<Place> {
    const { nodes } = this.#parts;
    const node = await nodes.find(id);
    if (!node) throw fail('node_not_found', `There is no work node ${id}`);
    const { name, status, reason, container_id } = node;
    if (status === 'removing') throw fail('node_removing', `The node '${name}' is being removed`);
    if (status === 'creating') throw fail('node_not_ready', `The node '${name}' is still being made; try again in a moment`);
    if (status !== 'online' || container_id === null)
      throw fail('node_offline', `The node '${name}' is offline${reason === '' ? '' : `: ${reason}`}`);
    return this.made({ ...node, container_id });
  }

  /** The same of a node whose container has just been made. */
  async made(node: StoredNode): Promise<Place> {
    const { engines, secrets } = this.#parts;
    try {
      return placeOf(node, await engines.at(addressOf(node, secrets)));
    } catch (fault) {
      throw workFault(fault, { node });
    }
  }
}
