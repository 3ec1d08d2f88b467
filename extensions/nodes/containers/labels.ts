import type { StoredNode } from '../store/stored.js';

/** What container, network and volume of a node are told by, on whatever engine. */
export const labels = {
  /** The installation's UUID. */
  platform: 'platform.id',
  /** The node's id. */
  node: 'platform.node',
  /** `work`, or `guard` for what sets up another one's network for a moment. */
  role: 'platform.role',
} as const;

/** The labels of what belongs to a node. */
export function labelsOf(platform: string, node: Pick<StoredNode, 'id'>): Record<string, string> {
  return { [labels.platform]: platform, [labels.node]: String(node.id) };
}

/** How container, network and volume of a node are called, each: the same each time, so that what was half made is found again. */
export function nameOf(platform: string, { id }: Pick<StoredNode, 'id'>): string {
  return `platform-${platform.slice(0, 8)}-node-${id}`;
}

/** What an engine is asked for, to get those of a node, or of all nodes of this installation. */
export function filterOf(platform: string, node?: Pick<StoredNode, 'id'>): { label: string[] } {
  const label = [`${labels.platform}=${platform}`];
  if (node) label.push(`${labels.node}=${node.id}`);
  return { label };
}
