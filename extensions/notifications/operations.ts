import type { Operations } from '../../kernel/contract/index.js';
import type { NotificationsApi } from './contract.js';
import * as shape from './shapes.js';

/** What can be asked of this extension. */
export const operations = {
  'notifications.list': {
    summary: "Lists one's notifications, the latest first. What a list of all shows counts as sent.",
    method: 'GET',
    path: '/api/notifications',
    who: 'member',
    input: (j) =>
      j.object({
        status: j.string().valid('all', 'pending', 'sent', 'read').default('all'),
        source: shape.source(j).allow('').default('').description('Empty: any'),
        page: j.number().integer().min(1).max(2_147_483_647).default(1),
        limit: j.number().integer().min(1).max(200).default(20),
      }),
    answer: (j) =>
      j
        .object({
          total: j.number().integer().min(0).required(),
          page: j.number().integer().required(),
          limit: j.number().integer().required(),
          notifications: j.array().items(shape.notification(j)).required(),
        })
        .label('NotificationPage'),
    tool: true,
  },
  'notifications.send': {
    summary: 'Notifies oneself; administrators may notify others. AI employees get none.',
    method: 'POST',
    path: '/api/notifications',
    who: 'member',
    input: (j) =>
      j.object({
        member_ids: j.array().items(shape.memberId(j)).min(1).max(1_000).description('Default: oneself'),
        title: shape.title(j).required(),
        summary: shape.summary(j).default(''),
        link: shape.link(j),
      }),
    answer: (j) => j.object({ notification_ids: j.array().items(shape.id(j)).required() }).label('Notified'),
    status: 201,
    failures: ['forbidden'],
    idempotent: 'data',
    // By the channels that its receivers have chosen it leaves the platform.
    dangerous: true,
    tool: true,
    schedulable: true,
  },
  'notifications.read': {
    summary: "Marks notifications as read, on all of one's devices: those that are named, or all that exist now.",
    method: 'POST',
    path: '/api/notifications/batch-read',
    who: 'member',
    input: (j) =>
      j.object({
        notification_ids: j.array().items(shape.id(j)).max(1_000).description("Unknown ones and others' are ignored"),
        all: j.boolean(),
      }),
    answer: (j) =>
      j
        .object({ updated: j.number().integer().min(0).required(), unread: j.number().integer().min(0).required() })
        .label('NotificationsRead'),
    tool: true,
  },
  'notifications.unread_count': {
    summary: 'Tells how many notifications one has not read.',
    method: 'GET',
    path: '/api/notifications/unread-count',
    who: 'member',
    answer: (j) => j.object({ unread: j.number().integer().min(0).required() }).label('UnreadNotifications'),
    tool: true,
  },
  'notifications.channels': {
    summary: 'Lists the channels by which notifications can reach one, and what each needs to know.',
    method: 'GET',
    path: '/api/notifications/channels',
    who: 'member',
    answer: (j) => j.array().items(shape.channel(j)),
  },
  'notifications.preferences': {
    summary: 'Shows which channels bring one what. Of secrets only whether they are set.',
    method: 'GET',
    path: '/api/notifications/preferences',
    who: 'member',
    answer: shape.preferences,
  },
  'notifications.set_preferences': {
    summary: 'Chooses which channels bring one what; channels that are not named stay, and secrets that are left out.',
    method: 'PUT',
    path: '/api/notifications/preferences',
    who: 'member',
    input: (j) => j.object({ channels: shape.channelChanges(j).required() }),
    answer: shape.preferences,
  },
  'notifications.test_channel': {
    summary: 'Sends a test note by one channel at once, with the settings that are kept, and tells what came of it.',
    method: 'POST',
    path: '/api/notifications/preferences/test',
    who: 'member',
    input: (j) => j.object({ channel: shape.channelName(j).required() }),
    answer: (j) =>
      j
        .object({
          channel: j.string().required(),
          accepted: j.boolean().required(),
          error: j.string().allow(null).required(),
          duration_ms: j.number().integer().min(0).required(),
        })
        .label('ChannelTest'),
    failures: ['channel_not_found', 'channel_not_set_up', 'rate_limited'],
    dangerous: true,
    timeout_ms: 45_000,
  },
  'notifications.get': {
    summary: 'Shows one notification, and how it stands with each channel outside.',
    method: 'GET',
    path: '/api/notifications/{id}',
    who: 'member',
    input: (j) => j.object({ id: shape.id(j).required() }),
    answer: shape.notificationDetail,
    failures: ['notification_not_found'],
  },
} satisfies Operations<NotificationsApi>;
