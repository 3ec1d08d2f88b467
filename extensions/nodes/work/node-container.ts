import type Docker from 'dockerode';
import type { StoredNode } from '../store/stored.js';

/** Container to work in, with the client of its engine. */
export interface NodeContainer {
  node: StoredNode;
  docker: Docker;
  container: Docker.Container;
}

/** Returns the place of a node whose container is known. */
export function containerOfNode(node: StoredNode, docker: Docker): NodeContainer {
  if (node.container_id === null) throw new Error(`Work node ${node.id} has no container`);
  return { node, docker, container: docker.getContainer(node.container_id) };
}
