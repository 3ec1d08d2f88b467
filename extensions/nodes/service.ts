import type { Caller, Secrets } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { Node, NodeQuery } from './contract.js';
import { recordOf, shownTo } from './record.js';
import type { NodeStore } from './store/nodes.js';
import type { StoredNode } from './store/stored.js';

export interface ServiceParts {
  nodes: NodeStore;
  secrets: Secrets;
}

/** The rules of nodes. */
export class Service {
  readonly #parts: ServiceParts;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  async list(query: NodeQuery, caller: Caller): Promise<{ items: Node[]; total: number }> {
    const { items, total } = await this.#parts.nodes.page(query);
    return { items: items.map((stored) => this.#shown(stored, caller)), total };
  }

  async get(id: number, caller: Caller): Promise<Node> {
    return this.#shown(await this.require(id), caller);
  }

  /** Fails with `node_not_found`. */
  async require(id: number): Promise<StoredNode> {
    const stored = await this.#parts.nodes.find(id);
    if (!stored) throw fail('node_not_found', `There is no work node ${id}`);
    return stored;
  }

  #shown(stored: StoredNode, caller: Caller): Node {
    return shownTo(caller, recordOf(stored, this.#parts.secrets));
  }
}
