import type { RoomCall, RoomVerdict } from '../../../kernel/contract/index.js';
import type { Session, SessionMember } from '../contract.js';

/** Visibility of a room: only members whom an owner adds see it, or every member of the platform may find and join it. */
export type Visibility = 'private' | 'open';

/** Role in a session. In a conversation of two everybody is a `member`. */
export type RoomRole = 'owner' | 'member';

/** When an AI employee answers in a room: if it is mentioned or a message of it is answered, always, or never. */
export type Answers = 'mentioned' | 'always' | 'never';

/** Kind of a session's member. */
export type ParticipantKind = 'person' | 'ai' | 'plugin';

/** Messages of a session that notify a member who is not reading it. */
export type NotificationLevel = 'all' | 'mentions' | 'none';

/** A member's own settings for a session's notifications. */
export interface SessionNotifications {
  /** Default `mentions`. A message in a conversation of two counts as a mention. */
  level: NotificationLevel;
  /** ISO 8601; no notification before that time. Null: not muted. */
  muted_until: string | null;
}

/** A mention in a message of a room, in UTF-16 units of its text: of a member, or of everybody in the room. */
export interface Mention {
  member_id?: number;
  room?: true;
  offset: number;
  length: number;
}

/** A person whom a message mentions, but who is not in the room. */
export interface NotInRoom {
  member_id: number;
  username: string;
}

/** A room that a member may join. */
export interface OpenRoom {
  id: string;
  title: string;
  topic: string;
  member_count: number;
  created_at: string;
  last_message_at: string | null;
}

/** A page of the open rooms that a member may join. */
export interface RoomQuery {
  /** Part of the title or topic, in any case. Default: all rooms. */
  query?: string;
  /** 1 to 200. */
  limit: number;
  offset: number;
}

/** Open rooms, latest active first, and the number of all that match. */
export interface RoomPage {
  items: OpenRoom[];
  total: number;
}

/** A change of a room. Omitted fields stay unchanged. */
export interface SessionUpdate {
  session_id: string;
  title?: string;
  topic?: string;
  visibility?: Visibility;
}

/** A change of a room's member. Omitted fields stay unchanged. */
export interface MemberUpdate {
  session_id: string;
  member_id: number;
  role?: RoomRole;
  answers?: Answers | null;
}

/** A change of a member's own settings. Omitted fields stay unchanged; `muted_until: null` ends the muting. */
export interface NotificationsUpdate extends Partial<SessionNotifications> {
  session_id: string;
}

/** Members to add to a session: one, or several. */
export interface NewMembers {
  session_id: string;
  member_id?: number;
  /** At most 200. */
  member_ids?: readonly number[];
}

/**
 * Result of adding members: the member if `member_id` was given, the added members for `member_ids`, and the new room if a person was added
 * to a conversation of two.
 */
export type AddedMembers = SessionMember | SessionMember[] | Session;

/** The people and plugins of a room, and who may join it: the audience of all that is written there. */
export interface RoomAudience {
  session_id: string;
  title: string;
  visibility: Visibility;
  /** Ids of its people. */
  people: readonly number[];
  /** Ids of plugins' own members. */
  plugins: readonly number[];
}

/** Rights of an AI employee in the room of its task. */
export interface RunRoom {
  session_id: string;
  /** Unique on the platform. */
  number: number;
  /** Returns who reads the room now; undefined if it is gone. */
  audience(): Promise<RoomAudience | undefined>;
  /** Decides by the members of the room now. */
  decide(call: RoomCall): Promise<{ verdict: RoomVerdict; version: string }>;
  /**
   * Call it before something that only the present members of the room may see is read. False if the room has changed since the decision
   * with this version.
   */
  confine(decision: { version: string }): Promise<boolean>;
}

/** A message of a room that notifies members. */
export interface RoomMessage {
  session_id: string;
  /** Title of the room. */
  title: string;
  message_id: string;
  sender_id: number;
  sender_name: string;
  /** The mentioned members, without those who don't want to be notified. */
  mentioned: number[];
  /** Whether it mentions everybody. */
  everyone: boolean;
  /** Members who are notified in another way: the asker of an answer who is away. */
  except?: number[];
  /** Beginning of the message on one line, at most 100 characters. */
  preview: string;
}

/** The part of a message that decides whom it notifies. */
export type Notifying = Pick<RoomMessage, 'session_id' | 'message_id' | 'sender_id' | 'mentioned' | 'everyone' | 'except'>;

/** People whom another member has added to a room. */
export interface Invited {
  session_id: string;
  /** Title of the room. */
  title: string;
  /** At most 500. */
  member_ids: number[];
  /** The member who added them, and its name. */
  invited_by: number;
  name: string;
}

/** Members of a session who lost access to it. */
export interface SessionLeft {
  session_id: string;
  member_ids: number[];
}
