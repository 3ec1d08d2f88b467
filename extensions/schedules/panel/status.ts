import type { RunStatus } from '../contract.js';

/** Severity of a run's status. */
export function statusKind(status: RunStatus | null): 'good' | 'bad' | 'warn' | 'dim' | undefined {
  if (status === 'success') return 'good';
  if (status === 'failed' || status === 'timeout') return 'bad';
  if (status === 'missed' || status === 'skipped') return 'warn';
  return status === 'queued' || status === 'running' ? undefined : 'dim';
}
