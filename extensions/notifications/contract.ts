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

/**
 * The kind of a notification, more precise than its source. The list grows; clients show a kind that they don't know as a `notice`.
 * - `direct_message`: a person has written while the member was not reading; one for each conversation until it is read.
 * - `mention`: somebody has named the member as `@username` in the title of a session, in a task or in a schedule. Whoever doesn't
 *   see that is told only that, and by whom, once until it is read.
 * - `answer`: an AI employee has answered, or could not, while the member was not reading.
 * - `approval`: an AI employee asks for the member's word.
 * - `invitation`: somebody has invited the member.
 * - `limit_reached`, `budget`: an AI employee was stopped by a limit of a run; it has used its tokens of a day.
 * - `run_finished`, `run_failed`, `schedule_stopped`: a scheduled run ended; a schedule was switched off.
 * - `node_offline`, `node_incident`: a work node went; something happened to it.
 * - `plugin_failed`, `review_waiting`, `review_decided`: an extension failed, waits for its review, was reviewed.
 * - `notice`: what a person, a schedule or a plugin has sent.
 */
export type Kind =
  | 'direct_message'
  | 'mention'
  | 'answer'
  | 'approval'
  | 'invitation'
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

/** The ids of what a notification is about; null where it is about no such thing, or the member doesn't see it. */
export interface About {
  session_id: string | null;
  message_id: string | null;
  task_id: string | null;
  approval_id: string | null;
  schedule_id: number | null;
  run_id: number | null;
  node_id: number | null;
  extension_id: string | null;
  /** The member who has written, mentioned or answered. */
  from_member_id: number | null;
}

/** `pending`: no channel has accepted it yet. `sent`: one has. `read`: the member has read it. */
export type NotificationStatus = 'pending' | 'sent' | 'read';

/** What one member is told. Times are ISO 8601 in UTC with milliseconds, without a zone suffix. */
export interface Notification extends About {
  id: number;
  source: Source;
  kind: Kind;
  /** At most 200 characters. */
  title: string;
  /** At most 4,000 characters; may be empty. */
  summary: string;
  /** The place with more to see: a path of the web app such as `/chat/<session_id>`, or an http or https address. */
  link: string | null;
  status: NotificationStatus;
  /** The channel that accepted it first; empty where none has. */
  im_channel: string;
  /** How often the same has happened within ten minutes, or since the conversation was read; 1 where once. */
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
  /** The kinds that it brings, of those sources; null: all. */
  kinds: Kind[] | null;
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
  /** Null: all. */
  kinds?: Kind[] | null;
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
  /** Default `notice`. */
  kind?: Kind | undefined;
  /** Omitted ids are null. */
  about?: Partial<About> | undefined;
  /** Cut at 200 characters. */
  title: string;
  /** Cut at 4,000 characters. */
  summary: string;
  link?: string | null | undefined;
  /** What is the same: by default source, title and summary. At most once in ten minutes while it is unread; then it is counted. */
  key?: string | undefined;
  /** It is counted, whenever it happened, while it is unread. Default false: within ten minutes. */
  until_read?: boolean | undefined;
  /** Whether a member needs no notification after all. Called while the member's notifications are locked. */
  unless?: ((member_id: number) => Promise<boolean>) | undefined;
}

/** For other extensions. */
export interface NotificationsService {
  /** Notifies, in the transaction that runs here or in one of its own; gives the ids, also of those that were counted up. */
  notify(notice: Notice): Promise<number[]>;
}

/** The slot in which extensions register a {@link Channel} of their own. Of two with one name the first counts. */
export type ChannelSlot = 'notifications.channel';

export type { Channel };
