import { useState } from 'react';
import type { Session } from '../contract.js';

/** Returns how many messages were unread when the conversation was opened: reading them doesn't move the line above the first one. */
export function useOpenedUnread({ unread_count }: Session): number {
  const [unread] = useState(unread_count);
  return unread;
}
