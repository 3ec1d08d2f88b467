import type { PendingApproval } from './reply.js';
import { useCall } from './use-call.js';

interface Client {
  approvals: { get: (input: { id: string }, options: { signal: AbortSignal }) => Promise<PendingApproval> };
}

/** Returns an approval with its input. Streams of rooms hide the input, because all members read them; only the asker may read it. */
export function useApprovalInput({ approvals }: Client, approval: PendingApproval | undefined): PendingApproval | undefined {
  const hidden = approval?.input === null ? approval.id : undefined;
  const read = async (signal: AbortSignal) => (hidden === undefined ? undefined : approvals.get({ id: hidden }, { signal }));
  const { value } = useCall(read, [hidden]);
  return value !== undefined && value.id === approval?.id ? value : approval;
}
