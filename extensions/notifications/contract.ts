import type { Contract } from '../../kernel/contract/index.js';
import type { Channel } from './channels/channel.js';

/**
 * The extension that tells members what they should hear of. Their sockets get the frames `notification`, whose data is a
 * {@link Notification}, and `notification.read {ids, unread}`; with `up_to`, all up to that id was read.
 */
export interface Notifications extends Contract {
  id: 'notifications';
  api: NotificationsApi;
  service: NotificationsService;
  events: object;
}

/** `schedule`: of a scheduled run. `ai_message`: an AI employee has finished, or asks. `system`: all else. */
export type Source = 'schedule' | 'ai_message' | 'system';

/** `pending`: no channel has accepted it yet. `sent`: one has. `read`: the member has read it. */
export type NotificationStatus = 'pending' | 'sent' | 'read';

/** What one member is told. Times are ISO 8601 in UTC with milliseconds, without a zone suffix. */
export interface Notification {
  id: number;
  source: Source;
  /** At most 200 characters. */
  title: string;
  /** At most 4,000 characters; may be empty. */
  summary: string;
  /** Where there is more to see: a path on this platform, or an http or https address. */
  link: string | null;
  status: NotificationStatus;
  /** The channel that accepted it first; empty where none has. */
  im_channel: string;
  /** How often the same has happened within ten minutes; 1 where once. */
  count: number;
  /** Why a channel could not deliver it, as far as one hasn't yet. */
  error: string | null;
  created_at: string;
  /** Empty while unread. */
  read_at: string;
}

/** `waiting`: to be sent, or sent again. `accepted` and `failed` are final. */
export type DeliveryStatus = 'waiting' | 'accepted' | 'failed';

/** How it stands with one channel outside of the platform. */
export interface DeliveryRecord {
  channel: string;
  status: DeliveryStatus;
  error: string | null;
  /** How often it was tried. */
  attempts: number;
}

export interface NotificationDetail extends Notification {
  deliveries: DeliveryRecord[];
}

export interface NotificationQuery {
  status: 'all' | NotificationStatus;
  /** Empty: any. */
  source: Source | '';
  page: number;
  limit: number;
}

export interface NotificationPage {
  total: number;
  page: number;
  limit: number;
  /** The latest first. */
  notifications: Notification[];
}

/** What of a member's channel is shown: its secrets never are. */
export interface ChannelPreference {
  enabled: boolean;
  /** Of which sources it brings notifications. */
  sources: Source[];
  /** Its settings that are no secrets. */
  settings: Record<string, string>;
  /** For each of its secrets whether one is kept. */
  secrets: Record<string, boolean>;
}

export interface Preferences {
  /** Every channel there is. `web` alone is on where nothing was chosen. */
  channels: Record<string, ChannelPreference>;
}

/** What is left out stays. */
export interface ChannelChange {
  enabled?: boolean;
  sources?: Source[];
  /** Replaces all settings, but for secrets: one that is left out stays, an empty one is removed. */
  settings?: Record<string, string>;
}

/** One setting of a channel. */
export interface FieldRecord {
  name: string;
  label: string;
  secret: boolean;
  required: boolean;
  description: string;
}

export interface ChannelRecord {
  name: string;
  title: string;
  fields: FieldRecord[];
}

/** What came of a note that was sent to try a channel. */
export interface ChannelTest {
  channel: string;
  accepted: boolean;
  /** Why not; null where it was accepted. */
  error: string | null;
  duration_ms: number;
}

export interface SendInput {
  /** Default: oneself. Others: administrators only. */
  member_ids?: number[];
  title: string;
  summary: string;
  link?: string | null;
}

export type NotificationsApi = {
  'notifications.list': { input: NotificationQuery; answer: NotificationPage };
  'notifications.get': { input: { id: number }; answer: NotificationDetail };
  'notifications.read': { input: { notification_ids?: number[]; all?: boolean }; answer: { updated: number; unread: number } };
  'notifications.unread_count': { input: object; answer: { unread: number } };
  'notifications.preferences': { input: object; answer: Preferences };
  'notifications.set_preferences': { input: { channels: Record<string, ChannelChange> }; answer: Preferences };
  'notifications.channels': { input: object; answer: ChannelRecord[] };
  'notifications.test_channel': { input: { channel: string }; answer: ChannelTest };
  'notifications.send': { input: SendInput; answer: { notification_ids: number[] } };
};

/** What somebody should hear of. */
export interface Notice {
  /** Members; AI employees and those that don't exist are left out. `admins`: all administrators. */
  to: readonly number[] | 'admins';
  source: Source;
  /** Cut at 200 characters. */
  title: string;
  /** Cut at 4,000 characters. */
  summary: string;
  link?: string | null | undefined;
  /** What is the same: by default source, title and summary. At most once in ten minutes while it is unread; then it is counted. */
  key?: string | undefined;
}

/** For other extensions. */
export interface NotificationsService {
  /** Notifies, in the transaction that runs here or in one of its own; gives the ids, also of those that were counted up. */
  notify(notice: Notice): Promise<number[]>;
}

/** The slot in which extensions register a {@link Channel} of their own. Of two with one name the first counts. */
export type ChannelSlot = 'notifications.channel';

export type { Channel };
