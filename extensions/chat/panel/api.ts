import type { PanelProps } from '../../../tui/kit/index.js';
import type { ChatApi } from '../contract.js';

/** The operations that the panel knows: chat's own, and the word that an AI employee may wait for. */
export type PanelApi = ChatApi & {
  'approvals.decide': { input: { id: string; decision: 'approve' | 'deny'; reason: string }; answer: unknown };
};

export type Props = PanelProps<PanelApi>;
export type PanelClient = Props['client'];

/** Frames after which sessions may read otherwise. */
export const chatFrames = ['message.*', 'unread', 'task.updated'];
