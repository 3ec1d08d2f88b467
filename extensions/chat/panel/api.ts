import type { PanelProps, PendingApproval } from '../../../tui/kit/index.js';
import type { ChatApi, MessageFile } from '../contract.js';

/** Operations that the panel uses: chat's own, with an upload as clients send it, and reading and deciding approvals. */
export type PanelApi = Omit<ChatApi, 'files.upload'> & {
  'files.upload': { input: { file: { name: string; bytes: Uint8Array } }; answer: MessageFile };
  'approvals.get': { input: { id: string }; answer: PendingApproval };
  'approvals.decide': { input: { id: string; decision: 'approve' | 'deny'; reason: string }; answer: unknown };
};

export type Props = PanelProps<PanelApi>;
export type PanelClient = Props['client'];

/** Frames that may change displayed sessions. */
export const chatFrames = ['message.*', 'reaction', 'session.*', 'unread', 'task.updated'];
