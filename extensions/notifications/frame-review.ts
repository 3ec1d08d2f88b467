import type { FrameReviewer } from '../../kernel/contract/index.js';
import type { Notification } from './contract.js';
import type { Items } from './store/items-sql.js';

/** Reviews notifications that a socket gets late: the message in a summary may have been changed since. */
export function frameReviewOf(items: Pick<Items, 'find'>): FrameReviewer {
  return {
    types: ['notification'],
    review: async ({ data }, member_id) => {
      const pushed = data as Notification;
      const now = await items.find(pushed.id, member_id);
      if (!now) return undefined;
      return now.summary === pushed.summary ? data : { ...pushed, summary: now.summary };
    },
  };
}
