import type { Tool, ToolContext, ToolProvider } from '../../../../kernel/contract/index.js';
import type { StoredNode } from '../../store/stored.js';
import type { CommandRunner } from '../command-runner.js';
import { Files } from '../files/files.js';
import type { NodeContainers } from '../node-containers.js';
import { fileTools } from './file-tools.js';
import { NodeWorkspace } from './node-workspace.js';
import { shellTool } from './shell.js';

export interface NodeToolsParts {
  nodes: { find(id: number): Promise<StoredNode | undefined> };
  places: Pick<NodeContainers, 'open'>;
  execs: CommandRunner;
}

/** Provides the tools of AI employees with a node, for members who may use it. */
export class NodeTools implements ToolProvider {
  readonly name = 'work nodes';
  readonly #parts: NodeToolsParts;

  constructor(parts: NodeToolsParts) {
    this.#parts = parts;
  }

  brings(name: string): boolean {
    return ['shell', 'read_file', 'write_file', 'list_files'].includes(name);
  }

  /** Returns the tools; none without a node, or if the node's image has no shell, which all of them need. */
  async tools({ node_id, employee }: Pick<ToolContext, 'node_id' | 'employee'>): Promise<Tool[]> {
    if (node_id === null) return [];
    const { nodes, places, execs } = this.#parts;
    const node = await nodes.find(node_id);
    if (!node || node.shell === false) return [];
    const workspace = new NodeWorkspace({ nodes, places }, employee.member_id);
    return [shellTool(workspace, execs), ...fileTools(workspace, new Files(execs))];
  }
}
