import type { Caller, Contract, FileAnswer, Role, StreamEvent } from '../../kernel/contract/index.js';
import type { ChatApi } from './api.js';
import type { ChatEvents } from './events.js';
import type { SendInput, Sent } from './message-types.js';
import type { Answers, Notifying, RoomAudience, RoomRole, SessionNotifications, Visibility } from './rooms/types.js';

export type { ChatApi } from './api.js';
export type * from './events.js';
export type * from './imports/types.js';
export type * from './message-types.js';
export type * from './rooms/types.js';
export type * from './task-types.js';

/** Kind of a session: with an AI employee, with another person, notes to oneself (`''`), or a room of several members. */
export type TargetType = 'ai' | 'member' | '' | 'room';

/** A conversation as one of its members sees it. Timestamps are ISO 8601, UTC. */
export interface Session {
  /** UUID, version 7. */
  id: string;
  /** At most 200 characters. */
  title: string;
  target_type: TargetType;
  /** The partner's member id in digits; empty for the default AI employee, for notes and for rooms. */
  target_id: string;
  created_by: number;
  created_at: string;
  updated_at: string;
  last_message_at: string | null;
  /** Beginning of the last message on one line, at most 100 characters. */
  last_message_preview: string;
  /** Number of messages from others since the member last read or wrote here. */
  unread_count: number;
  /** The running task, or the first waiting one; null if there is none. */
  active_task_id: string | null;
  /** Its running and waiting tasks, oldest first. */
  active_task_ids: string[];
  visibility: Visibility;
  /** At most 500 characters. */
  topic: string;
  /** Number of its people, AI employees and plugins. */
  member_count: number;
  /** Number of unread messages that mention the member; rooms only. */
  mention_count: number;
  /** The member's own role. */
  role: RoomRole;
  /** The member's own settings. */
  notifications: SessionNotifications;
}

/** Why a message or a task failed: a stable code, and a sentence for a person. */
export interface Fault {
  code: string;
  message: string;
}

/** Tokens as the model's provider counted them. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
}

/** Bytes that a member has stored in chat, and may store. */
export interface MemberUsage {
  /**
   * Bytes of texts, in UTF-8, images and files. An image counts once for each message that has it, a file once from its upload to its removal.
   */
  bytes: number;
  /** Limit beyond which images and files are refused; 0: none. */
  quota_bytes: number;
}

/** A participant of a session. */
export interface SessionMember {
  member_id: number;
  username: string;
  nickname: string;
  /** Whether it is a plugin's own member that was added. */
  is_guest: boolean;
  /** Whether it is an AI employee or a plugin's own member. */
  is_virtual: boolean;
  role: RoomRole;
  /** When an AI employee answers; null for others. */
  answers: Answers | null;
}

/** A session to open. */
export interface NewSession {
  title: string;
  target_type: TargetType;
  target_id: string | number;
  /** Further members of a room: people, AI employees and plugins; at most 5,000. */
  member_ids?: readonly number[];
  /** Rooms only. Default `private`. */
  visibility?: Visibility;
}

/** The part of a session to export, and its format. */
export interface ExportInput {
  session_id: string;
  format: 'markdown' | 'json';
  /** Only messages from this time on. */
  since?: string;
  /** Only messages before this time. */
  before?: string;
}

/** A person or AI employee with whom a member may talk. */
export interface Contact {
  member_id: number;
  username: string;
  nickname: string;
  is_virtual: boolean;
  role: Role;
  /** An AI employee's job title; empty for people. */
  post: string;
  /** Whether administrators may read conversations with this AI employee; false for people. */
  oversight: boolean;
  /** An AI employee that needs no node is always `online`. */
  presence: 'online' | 'away' | 'dnd' | 'offline';
  /** State of the node that an AI employee works on; null if it has none, or the state is unknown. */
  node_status: string | null;
  /** The session with the contact, with a person the latest active one; null if there is none yet. */
  session_id: string | null;
  last_message_at: string | null;
  /** Number of unread messages; for a person in all conversations together. */
  unread_count: number;
}

export interface ContactQuery {
  /** Part of a user name or nickname. */
  keyword?: string;
  /** 1 to 200. Default: all. */
  limit?: number;
  offset: number;
}

export interface StartInput {
  member_id: number;
  /** Whether to open another session if there is one. Default false. */
  new?: boolean;
}

/** The session with a contact. */
export interface Started {
  session_id: string;
  /** False if the session existed already. */
  created: boolean;
  session: Session;
}

/** The part of the extension `nodes` that chat uses, if it is active. */
export interface NodeStatuses extends Contract {
  id: 'nodes';
  service: { statuses(ids: readonly number[]): Promise<ReadonlyMap<number, string>> };
}

/** The part of the event `nodes.deleted` that chat uses. */
export interface NodeGone {
  id: number;
}

/** Input of a stream that can be resumed after a cursor. */
export interface After {
  after?: string;
}

/**
 * Events of a stream have `seq` (rising within a reply; 0 while its task waits), `task_id` and `message_id` (the reply):
 * `message.started {message}`, `message.delta {delta}`, `reasoning.delta {delta}`,
 * `tool.started {tool_call_id, name, input}`, `tool.input {tool_call_id, input}` (in a room), `tool.output {tool_call_id, delta}`,
 * `tool.finished {tool_call_id, output, error}`, `approval.required {approval}`, `approval.resolved {approval}`,
 * `message.notice {notice}` (one of the message's `notices`),
 * `message.joined {message}` (a text sent into the task, which the answer takes up from here), `snapshot {message}` (replaces the reader's copy
 * of that message), `task.updated {task}`,
 * `node.awaited {node_id, reason}` (its task waits for that node), `message.completed {message}`, `message.aborted {message}`,
 * `message.failed {message, error}`, and `done`, the last one of a message's or a task's stream. The stream of a session also has
 * `message.edited {message}`, `message.deleted` and `reaction {member_id, emoji, added}`, whose `message_id` is the changed message.
 */
export type ReplyStream = AsyncIterable<StreamEvent>;

/** Kinds of records of a conversation that have an id. */
export type IdKind = 'session' | 'message' | 'task';

/** A record that was found by a part of its id. */
export interface FoundId {
  id: string;
  /** Title, or beginning of the text. */
  about: string;
}

/** Chat's service for extensions in the same process. It acts for a member: sessions and messages of others are not found. */
export interface ChatService {
  /** Returns a session as the member sees it; undefined if the member may not see it. */
  session(id: string, member_id: number): Promise<Session | undefined>;
  /** Returns the people in a session, including those who have hidden it; empty if there is no such session. */
  participants(session_id: string): Promise<number[]>;
  /** Sends a message like the operation `chat.send`, with its failures. Not inside a transaction. */
  send(input: SendInput, asker: Asker): Promise<Sent>;
  /**
   * Yields the events of the reply to a message, up to `done`; also for a message that nobody answers. Fails with `message_not_found`. The
   * member isn't the reader, so unread messages stay unread.
   */
  follow(message_id: string, member_id: number, following: After & { signal: AbortSignal }): ReplyStream;
  /** Returns who reads a room; undefined if the session is no room or is gone. */
  audience(session_id: string): Promise<RoomAudience | undefined>;
  /**
   * Returns the people of a room to notify, in ascending order: those mentioned and those with the level `all`, or, if everybody is
   * mentioned, all without the level `none`. Without the sender and those who have muted it, have read it up to the message, or read it now.
   * `among`: only these members.
   */
  listeners(message: Notifying, among?: readonly number[]): Promise<number[]>;
  /** Returns the titles of those of the sessions that are open rooms, whose titles every member may know. */
  openTitles(session_ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns those of the members who are in a session. */
  among(session_id: string, member_ids: readonly number[]): Promise<number[]>;
  /** Returns a file of messages that the member sees. Fails with `file_not_found` and `server_busy`. */
  file(id: string, member_id: number): Promise<FileAnswer>;
  /** Returns by member how many tasks run on all instances, and how many wait for an approval. Leaves out members without tasks. */
  working(member_ids: readonly number[]): Promise<ReadonlyMap<number, { running: number; waiting: number }>>;
}

export interface Chat {
  id: 'chat';
  api: ChatApi;
  service: ChatService;
  events: ChatEvents;
}

export type {
  Answerer,
  AnswererSlot,
  Approval,
  ApprovalReports,
  NodeWait,
  Place,
  Placing,
  Run,
  ToolReports,
} from './answering.js';

/** The member that a handler of chat serves. */
export type Asker = Pick<Caller, 'member_id' | 'scopes'>;
