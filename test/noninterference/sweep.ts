import type { Step } from './steps.js';

export const page = { limit: 50, offset: 0 };

/** Calls by which everybody but Ann reads at the end. */
export const sweep: readonly Omit<Step, 'by'>[] = [
  { operation: 'sessions.list', input: page },
  { operation: 'messages.search', input: { q: 'marzipan', limit: 20 } },
  { operation: 'messages.search', input: { q: 'tort', limit: 20 } },
  { operation: 'unread.counts', input: {} },
  { operation: 'notifications.list', input: { limit: 50 } },
  { operation: 'notifications.unread_count', input: {} },
  { operation: 'approvals.list', input: page },
  { operation: 'tasks.active', input: {} },
  { operation: 'rooms.list', input: { query: '{{run}}', ...page } },
  { operation: 'contacts.list', input: { keyword: '{{run}}' } },
  { operation: 'members.list', input: { keyword: '{{run}}' } },
  { operation: 'chat.usage', input: {} },
];
