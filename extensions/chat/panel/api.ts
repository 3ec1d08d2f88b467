import type { PanelProps, PendingApproval } from '../../../tui/kit/index.js';
import type { ChatApi } from '../contract.js';

/** Operations that the panel uses: chat's own, and reading and deciding approvals. */
export type PanelApi = ChatApi & {
  'approvals.get': { input: { id: string }; answer: PendingApproval };
  'approvals.decide': { input: { id: string; decision: 'approve' | 'deny'; reason: string }; answer: unknown };
};

export type Props = PanelProps<PanelApi>;
export type PanelClient = Props['client'];

/** Frames that may change displayed sessions. */
export const chatFrames = ['message.*', 'reaction', 'session.*', 'unread', 'task.updated'];
