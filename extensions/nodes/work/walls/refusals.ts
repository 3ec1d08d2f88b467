import { statusOf } from '../../engines/failures.js';

/** Statuses of a request that may succeed at another time: what is gone or in conflict, and too much at once. */
const passing: readonly number[] = [404, 408, 409, 425, 429];

/** What the engine's runtime says where its host can't do something at all. */
const can_not =
  /not permitted|not allowed|not supported|no such file or directory|permission denied|read-only file system|executable file not found|invalid argument|unknown capability/i;

/** Whether an engine says that it can't do a thing, now or later. What may succeed at another time is no reason to do without it. */
export function isLasting(fault: unknown): boolean {
  const status = statusOf(fault);
  if (status === undefined || passing.includes(status)) return false;
  return status < 500 || (status === 500 && can_not.test((fault as Error).message));
}
