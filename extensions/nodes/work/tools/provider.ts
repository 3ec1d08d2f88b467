import type { Tool, ToolContext, ToolProvider } from '../../../../kernel/contract/index.js';
import type { StoredNode } from '../../store/stored.js';
import type { Execs } from '../execs.js';
import { Files } from '../files/files.js';
import type { Places } from '../places.js';
import { fileTools } from './file-tools.js';
import { shellTool } from './shell.js';
import { Site } from './site.js';

export interface NodeToolsParts {
  nodes: { find(id: number): Promise<StoredNode | undefined> };
  places: Pick<Places, 'open'>;
  execs: Execs;
}

/** The tools of AI employees that have a node, for whoever may use it. */
export class NodeTools implements ToolProvider {
  readonly name = 'work nodes';
  readonly #parts: NodeToolsParts;

  constructor(parts: NodeToolsParts) {
    this.#parts = parts;
  }

  brings(name: string): boolean {
    return ['shell', 'read_file', 'write_file', 'list_files'].includes(name);
  }

  /** None where its image has no shell: nothing of this can be done there. */
  async tools({ node_id, employee }: Pick<ToolContext, 'node_id' | 'employee'>): Promise<Tool[]> {
    if (node_id === null) return [];
    const { nodes, places, execs } = this.#parts;
    const node = await nodes.find(node_id);
    if (!node || node.shell === false) return [];
    const site = new Site({ nodes, places }, employee.member_id);
    return [shellTool(site, execs), ...fileTools(site, new Files(execs))];
  }
}
