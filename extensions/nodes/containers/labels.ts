import type { StoredNode } from '../store/stored.js';

/** Labels that identify container, network and volume of a node on any engine. */
export const labels = {
  /** Installation's UUID. */
  platform: 'platform.id',
  /** Node id. */
  node: 'platform.node',
  /** `work`, or `guard` for a short-lived container that sets up another one's network. */
  role: 'platform.role',
} as const;

/** Returns the labels of a node's resources. */
export function labelsOf(platform: string, node: Pick<StoredNode, 'id'>): Record<string, string> {
  return { [labels.platform]: platform, [labels.node]: String(node.id) };
}

/** Returns the name of a node's container, network and volume. Deterministic, so that half-created resources are found again. */
export function nameOf(platform: string, { id }: Pick<StoredNode, 'id'>): string {
  return `platform-${platform.slice(0, 8)}-node-${id}`;
}

/** Returns the filter for the resources of a node, or of all nodes of this installation. */
export function filterOf(platform: string, node?: Pick<StoredNode, 'id'>): { label: string[] } {
  const label = [`${labels.platform}=${platform}`];
  if (node) label.push(`${labels.node}=${node.id}`);
  return { label };
}
