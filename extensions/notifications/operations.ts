import type { Operations } from '../../kernel/contract/index.js';
import type { NotificationsApi } from './contract.js';
import * as shape from './shapes.js';

/** The operations of this extension. */
export const operations = {
  'notifications.list': {
    summary: "Lists the caller's notifications, latest first. An unfiltered list marks those it shows as sent.",
    method: 'GET',
    path: '/api/notifications',
    who: 'member',
    audience: 'caller',
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
    summary: 'Notifies the caller; administrators may notify others. AI employees get no notifications.',
    method: 'POST',
    path: '/api/notifications',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        member_ids: j.array().items(shape.memberId(j)).min(1).max(1_000).description('Default: the caller'),
        title: shape.title(j).required(),
        summary: shape.summary(j).default(''),
        link: shape.link(j),
      }),
    answer: (j) => j.object({ notification_ids: j.array().items(shape.id(j)).required() }).label('Notified'),
    status: 201,
    failures: ['forbidden'],
    idempotent: 'data',
    // It leaves the platform through the channels that its receivers have chosen.
    dangerous: true,
    tool: true,
    schedulable: true,
  },
  'notifications.read': {
    summary: "Marks notifications as read on all of the caller's devices: the given ones, or all existing ones.",
    method: 'POST',
    path: '/api/notifications/batch-read',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        notification_ids: j.array().items(shape.id(j)).max(1_000).description('Unknown ids and those of other members are ignored'),
        all: j.boolean().default(false).description('All that exist now'),
      }),
    answer: (j) =>
      j
        .object({ updated: j.number().integer().min(0).required(), unread: j.number().integer().min(0).required() })
        .label('NotificationsRead'),
    tool: true,
  },
  'notifications.unread_count': {
    summary: 'Returns the number of unread notifications.',
    method: 'GET',
    path: '/api/notifications/unread-count',
    who: 'member',
    audience: 'caller',
    answer: (j) => j.object({ unread: j.number().integer().min(0).required() }).label('UnreadNotifications'),
    tool: true,
  },
  'notifications.channels': {
    summary: 'Lists the channels for notifications and the settings that each requires.',
    method: 'GET',
    path: '/api/notifications/channels',
    who: 'member',
    audience: 'members',
    answer: (j) => j.array().items(shape.channel(j)),
  },
  'notifications.preferences': {
    summary: 'Returns which notifications each channel delivers to the caller. Secrets are shown only as set or not set.',
    method: 'GET',
    path: '/api/notifications/preferences',
    who: 'member',
    audience: 'caller',
    answer: shape.preferences,
  },
  'notifications.set_preferences': {
    summary: 'Changes which notifications each channel delivers to the caller. Omitted channels and secrets stay unchanged.',
    method: 'PUT',
    path: '/api/notifications/preferences',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ channels: shape.channelChanges(j).required() }),
    answer: shape.preferences,
  },
  'notifications.test_channel': {
    summary: 'Sends a test notification through a channel immediately with the saved settings, and returns the result.',
    method: 'POST',
    path: '/api/notifications/preferences/test',
    who: 'member',
    audience: 'caller',
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
    summary: 'Returns a notification and the state of its delivery through each outside channel.',
    method: 'GET',
    path: '/api/notifications/{id}',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ id: shape.id(j).required() }),
    answer: shape.notificationDetail,
    failures: ['notification_not_found'],
    mcp: true,
  },
} satisfies Operations<NotificationsApi>;
