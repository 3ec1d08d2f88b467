import type { FrameReviewer } from '../../../kernel/contract/index.js';
import type { ChatService } from '../../chat/contract.js';

/** Reviews frames of approvals that a socket gets late: its member may have left the session since. */
export function frameReviewOf(chat: Pick<ChatService, 'session'>): FrameReviewer {
  return {
    types: ['approval.required', 'approval.resolved'],
    review: async ({ data }, member_id) => (await chat.session((data as { session_id: string }).session_id, member_id)) && data,
  };
}
