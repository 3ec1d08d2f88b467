import { Badge, type BadgeKind, useTexts } from '@platform/kit';
import type { Node, NodeStatus } from '../contract.js';
import { catalogue } from './texts/index.js';

const kinds: Readonly<Record<NodeStatus, BadgeKind>> = {
  creating: 'info',
  online: 'ok',
  offline: 'warn',
  error: 'danger',
  removing: 'neutral',
};

/** Shows the state of a node in a word, and whether it takes new work. */
export function NodeState({ node: { status, draining } }: { node: Node }) {
  const text = useTexts(catalogue);
  return (
    <>
      <Badge kind={kinds[status]}>{text.statuses[status]}</Badge> {draining ? <Badge kind="warn">{text.draining}</Badge> : undefined}
    </>
  );
}
