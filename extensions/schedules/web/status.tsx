import { Badge, type BadgeKind, useTexts } from '@platform/kit';
import type { RunStatus } from '../contract.js';
import { catalogue } from './texts/index.js';

const kinds: Readonly<Record<RunStatus, BadgeKind>> = {
  queued: 'neutral',
  running: 'info',
  success: 'ok',
  failed: 'danger',
  timeout: 'danger',
  cancelled: 'neutral',
  skipped: 'warn',
  missed: 'warn',
};

/** Shows the state of a run in one word. */
export function StatusBadge({ status }: { status: RunStatus }) {
  const text = useTexts(catalogue);
  return <Badge kind={kinds[status]}>{text.statuses[status]}</Badge>;
}
