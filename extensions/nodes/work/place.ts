import type Docker from 'dockerode';
import type { StoredNode } from '../store/stored.js';

/** A container to work in, and the way to its engine. */
export interface Place {
  node: StoredNode;
  docker: Docker;
  container: Docker.Container;
}

/** The place of a node whose container is known. */
export function placeOf(node: StoredNode, docker: Docker): Place {
  if (node.container_id === null) throw new Error(`Work node ${node.id} has no container`);
  return { node, docker, container: docker.getContainer(node.container_id) };
}
