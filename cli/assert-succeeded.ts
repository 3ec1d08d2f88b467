import { Failure } from '../kernel/contract/failure.js';
import type { Leaf } from './flags.js';

/** Fails where an answer says of itself that the work did not succeed, although the call did. */
export function assertSucceeded({ hint, id }: Pick<Leaf, 'hint' | 'id'>, body: unknown): void {
  const key = hint?.success;
  const answer = body as Record<string, unknown> | null | undefined;
  if (key === undefined || answer?.[key] !== false) return;
  const reason = typeof answer.error === 'string' && answer.error !== '' ? answer.error : `the answer of ${id} says ${key}: false`;
  throw new Failure('not_accepted', reason, { status: 502 });
}
