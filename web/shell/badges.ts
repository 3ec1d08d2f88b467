import { operations } from '../kit/data/operations.js';

/** Operations that the frame uses if their extensions are there. Their types are only what is needed here. */
export type FrameApi = {
  'unread.counts': { input: object; answer: { counts: Record<string, number> } };
  'notifications.unread_count': { input: object; answer: { unread: number } };
  'sessions.list': { input: { limit: number; offset: number }; answer: FoundSession[] };
  'members.list': { input: { keyword: string; page_size: number; active: boolean }; answer: { items: FoundMember[] } };
  'members.seats': { input: object; answer: { used: number } };
  'contacts.start': { input: { member_id: number }; answer: { session_id: string } };
};

export interface FoundSession {
  id: string;
  title: string;
  target_type: string;
  last_message_preview: string;
}

export interface FoundMember {
  id: number;
  username: string;
  nickname: string;
  is_virtual: boolean;
}

export const frameApi = operations<FrameApi>();

/** Returns what is unread, by the path of the page that shows it. */
export function useBadges(): Readonly<Record<string, number>> {
  const messages = frameApi.useRead(
    'unread.counts',
    {},
    { on: ['unread', 'message.created', 'session.*'], enabled: frameApi.can('unread.counts') },
  );
  const notifications = frameApi.useRead(
    'notifications.unread_count',
    {},
    { on: ['notification', 'notification.*'], enabled: frameApi.can('notifications.unread_count') },
  );
  const unread = Object.values(messages.data?.counts ?? {}).reduce((sum, count) => sum + count, 0);
  return { '/chat': unread, '/notifications': notifications.data?.unread ?? 0 };
}
