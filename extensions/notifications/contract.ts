import type { Contract } from '../../kernel/contract/index.js';
import type { Channel } from './channels/channel.js';

/**
 * Extension for notifications. Sockets get the frames `notification`, whose data is a {@link Notification}, and
 * `notification.read {ids, unread}`; with `up_to`, everything up to that id was read.
 */
export interface Notifications extends Contract {
  id: 'notifications';
  api: NotificationsApi;
  service: NotificationsService;
  events: object;
}

/** `schedule`: a scheduled run. `ai_message`: an AI employee has finished or needs an answer. `system`: everything else. */
export type Source = 'schedule' | 'ai_message' | 'system';

/**
 * The kind of a notification, more specific than its source. The list grows; clients show an unknown kind as a
 * `notice`.
 * - `direct_message`: a person wrote while the member was not reading; one per conversation until it is read.
 * - `mention`: somebody named the member as `@username` in a session's title, a task or a schedule; a member who can't
 * see it only learns by whom, once until it is read. In a room also by `@room`; one per room until it is read.
 * - `room_message`: somebody wrote in a room whose level the member has set to `all`; one per room until it is read. A
 * mention takes its place.
 * - `answer`: an AI employee answered, or failed to, while the member was not reading.
 * - `approval`: an AI employee needs the member's approval.
 * - `invitation`: somebody added the member to a room.
 * - `report`: somebody reported a message in a room that the member owns, or, for administrators, in a conversation of two.
 * - `limit_reached`, `budget`: an AI employee was stopped by a run's limit; it has used its daily tokens.
 * - `run_finished`, `run_failed`, `schedule_stopped`: a scheduled run ended; a schedule was disabled.
 * - `node_offline`, `node_incident`: a work node went offline; an incident occurred on it.
 * - `plugin_failed`, `review_waiting`, `review_decided`: an extension failed, waits for review, was reviewed.
 * - `notice`: sent by a person, a schedule or a plugin.
 */
export type Kind =
  | 'direct_message'
  | 'mention'
  | 'room_message'
  | 'answer'
  | 'approval'
  | 'invitation'
  | 'report'
  | 'limit_reached'
  | 'budget'
  | 'run_finished'
  | 'run_failed'
  | 'schedule_stopped'
  | 'node_offline'
  | 'node_incident'
  | 'plugin_failed'
  | 'review_waiting'
  | 'review_decided'
  | 'notice';

/** Ids of a notification's subject; null if it has no such subject, or the member can't see it. */
export interface About {
  session_id: string | null;
  message_id: string | null;
  task_id: string | null;
  approval_id: string | null;
  schedule_id: number | null;
  run_id: number | null;
  node_id: number | null;
  extension_id: string | null;
  /** The member who wrote, mentioned or answered. */
  from_member_id: number | null;
}

/** `pending`: no channel has accepted it yet. `sent`: one has. `read`: the member has read it. */
export type NotificationStatus = 'pending' | 'sent' | 'read';

/** A member's notification. Times are ISO 8601 in UTC with milliseconds, without a zone suffix. */
export interface Notification extends About {
  id: number;
  source: Source;
  kind: Kind;
  /** At most 200 characters. */
  title: string;
  /** At most 4,000 characters; may be empty. */
  summary: string;
  /** Link to details: a path of the web app such as `/chat/<session_id>`, or an http or https address. */
  link: string | null;
  status: NotificationStatus;
  /** The first channel that accepted it; empty if none has. */
  im_channel: string;
  /** How often it occurred within ten minutes, or since the conversation was read; at least 1. */
  count: number;
  /** Why a channel has not delivered it yet, if it failed. */
  error: string | null;
  created_at: string;
  /** Empty while unread. */
  read_at: string;
}

/** `waiting`: to be sent, or retried. `accepted` and `failed` are final. */
export type DeliveryStatus = 'waiting' | 'accepted' | 'failed';

/** State of the delivery through an outside channel. */
export interface DeliveryRecord {
  channel: string;
  status: DeliveryStatus;
  error: string | null;
  /** Number of attempts. */
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
  /** Latest first. */
  notifications: Notification[];
}

/** A member's channel as shown, without its secrets. */
export interface ChannelPreference {
  enabled: boolean;
  /** Sources whose notifications it delivers. */
  sources: Source[];
  /** Kinds that it delivers of those sources; null: all. */
  kinds: Kind[] | null;
  /** Settings that are not secret. */
  settings: Record<string, string>;
  /** For each secret, whether it is set. */
  secrets: Record<string, boolean>;
}

export interface Preferences {
  /** Every existing channel. By default only `web` is enabled. */
  channels: Record<string, ChannelPreference>;
}

/** Omitted properties stay unchanged. */
export interface ChannelChange {
  enabled?: boolean;
  sources?: Source[];
  /** Null: all. */
  kinds?: Kind[] | null;
  /** Replaces all settings except secrets: an omitted secret stays, an empty one is removed. */
  settings?: Record<string, string>;
}

/** A setting of a channel. */
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

/** Result of a test notification. */
export interface ChannelTest {
  channel: string;
  accepted: boolean;
  /** Why it failed; null if it was accepted. */
  error: string | null;
  duration_ms: number;
}

export interface SendInput {
  /** Default: the caller. Others: administrators only. */
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

/** A notification to create. */
export interface Notice {
  /** Members; AI employees and unknown ids are ignored. `admins`: all administrators. */
  to: readonly number[] | 'admins';
  source: Source;
  /** Default: `notice`. */
  kind?: Kind | undefined;
  /** Omitted ids are null. */
  about?: Partial<About> | undefined;
  /** Cut at 200 characters. */
  title: string;
  /** Cut at 4,000 characters. */
  summary: string;
  link?: string | null | undefined;
  /**
   * Identifies equal notifications; default: source, title and summary. Created at most once in ten minutes while
   * unread; repetitions are counted.
   */
  key?: string | undefined;
  /** Whether repetitions are counted as long as it is unread. Default false: within ten minutes. */
  until_read?: boolean | undefined;
  /** An unread repetition of this kind becomes this notification, instead of being counted only. */
  replaces?: Kind | undefined;
  /** Returns those of the members who still need the notification. Called while their notifications are locked, for at most 200 at once. */
  filter?: ((member_ids: readonly number[]) => Promise<readonly number[]>) | undefined;
}

/** Service for other extensions. */
export interface NotificationsService {
  /** Creates notifications in the current transaction, or one of its own. Returns the ids, including those whose count was raised. */
  notify(notice: Notice): Promise<number[]>;
}

/** Slot in which extensions register a {@link Channel}. Of two with the same name, the first counts. */
export type ChannelSlot = 'notifications.channel';

export type { Channel };
