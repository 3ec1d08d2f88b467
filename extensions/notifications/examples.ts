import type { Examples } from '../../kernel/contract/index.js';
import type { NotificationsApi } from './contract.js';

const preferences = (): NotificationsApi['notifications.preferences']['answer'] => ({
  channels: { web: { enabled: true, sources: ['schedule', 'ai_message', 'system'], kinds: null, settings: {}, secrets: {} } },
});

/** Worked examples of the operations. A test runs them. */
export const examples: Examples<NotificationsApi> = {
  'notifications.list': () => ({
    input: { status: 'pending', source: 'system' },
    answer: {
      total: 8,
      page: 1,
      limit: 20,
      notifications: [
        {
          id: 19,
          source: 'system',
          kind: 'review_decided',
          title: "The skill 'Reports' 1.0.0 was rejected",
          summary: 'It is an advertisement',
          link: '/extensions/acme.spam',
          status: 'pending',
          im_channel: '',
          count: 1,
          error: null,
          created_at: '2026-11-26T09:00:00.000',
          read_at: '',
          session_id: null,
          message_id: null,
          task_id: null,
          approval_id: null,
          schedule_id: null,
          run_id: null,
          node_id: null,
          extension_id: 'acme.spam',
          from_member_id: null,
        },
      ],
    },
  }),
  'notifications.send': () => ({
    input: { member_ids: [3], title: 'Release 2.1 is out', summary: 'It has a new search.', link: 'https://example.org/releases/2.1' },
    answer: { notification_ids: [22] },
  }),
  'notifications.read': () => ({ input: { notification_ids: [1] }, answer: { updated: 1, unread: 11 } }),
  'notifications.unread_count': () => ({ answer: { unread: 12 } }),
  'notifications.channels': () => ({ answer: [{ name: 'web', title: 'This platform', fields: [] }] }),
  'notifications.preferences': () => ({ answer: preferences() }),
  'notifications.set_preferences': () => ({
    input: { channels: { web: { enabled: true, sources: ['schedule', 'ai_message', 'system'] } } },
    answer: preferences(),
  }),
  'notifications.test_channel': () => ({
    input: { channel: 'web' },
    answer: { channel: 'web', accepted: false, error: 'None of your devices is connected at the moment', duration_ms: 0 },
  }),
  'notifications.get': () => ({
    input: { id: 1 },
    answer: {
      id: 1,
      source: 'system',
      kind: 'notice',
      title: 'Backup finished',
      summary: 'It took 12 seconds.',
      link: '/status',
      status: 'pending',
      im_channel: '',
      count: 1,
      error: null,
      created_at: '2026-11-26T09:00:00.000',
      read_at: '',
      session_id: null,
      message_id: null,
      task_id: null,
      approval_id: null,
      schedule_id: null,
      run_id: null,
      node_id: null,
      extension_id: null,
      from_member_id: null,
      deliveries: [],
    },
  }),
};
