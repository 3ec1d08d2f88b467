import { Badge, type BadgeKind, useTexts } from '@platform/kit';
import type { EmployeeSettings } from '../contract.js';
import { catalogue } from './texts/index.js';

const kinds: Readonly<Record<EmployeeSettings['status'], BadgeKind>> = {
  idle: 'neutral',
  working: 'info',
  waiting: 'warn',
  paused: 'warn',
  offline: 'danger',
};

/** Shows what an AI employee is doing, in a word. */
export function EmployeeStatus({ status }: { status: EmployeeSettings['status'] }) {
  const text = useTexts(catalogue);
  return <Badge kind={kinds[status]}>{text.statuses[status]}</Badge>;
}
