import type { Task } from '../contract.js';

/** Whether nothing more happens to a task. */
export function isFinal({ status }: Pick<Task, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
