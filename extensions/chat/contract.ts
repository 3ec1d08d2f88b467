import type { Caller, Contract, FileAnswer, Role, StreamEvent } from '../../kernel/contract/index.js';
import type { ChatEvents } from './events.js';

export type * from './events.js';

/** With whom a session is: an AI employee, another person, or nobody (notes to oneself). */
export type TargetType = 'ai' | 'member' | '';

/** A conversation as one of its members sees it. Timestamps are ISO 8601, UTC. */
export interface Session {
  /** UUID, version 7. */
  id: string;
  /** At most 200 characters. */
  title: string;
  target_type: TargetType;
  /** The partner's member id in digits; empty for the default AI employee and for notes. */
  target_id: string;
  created_by: number;
  created_at: string;
  updated_at: string;
  last_message_at: string | null;
  /** The start of the last message on one line, at most 100 characters. */
  last_message_preview: string;
  /** Messages of others since the member last read or wrote here. */
  unread_count: number;
  /** The task that runs or waits here first, if any. */
  active_task_id: string | null;
}

export type MessageRole = 'user' | 'assistant' | 'system' | 'tool';
export type MessageStatus = 'pending' | 'streaming' | 'completed' | 'aborted' | 'failed';

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
  /** Bytes of texts, in UTF-8, and images. An image counts once for each message that has it. */
  bytes: number;
  /** Limit beyond which images are refused; 0: none. */
  quota_bytes: number;
}

/** An image of a message, as it is given out. */
export interface Image {
  /** A path on this platform, served to those who see the session. */
  url: string;
  mime_type: string;
  name?: string;
}

/** Somebody who takes part in a session. */
export interface SessionMember {
  member_id: number;
  username: string;
  nickname: string;
  /** A plugin's own member, which was added. */
  is_guest: boolean;
}

/** A tool that was used while a reply was written. */
export interface ToolCall {
  id: string;
  name: string;
  /** The start of its JSON, as a text, where that has more than 16,384 bytes. */
  input: unknown;
  /** At most 16,384 bytes as JSON; the rest is cut off. */
  output: string | null;
  /** The sentence of its failure, or null. Cut off like `output`. */
  error: string | null;
  started_at: string;
  finished_at: string | null;
}

/** A part of a text. */
export interface HighlightPiece {
  text: string;
  /** Whether it is one of the words that were searched for. */
  match: boolean;
}

/** A message that was found. */
export interface FoundMessage extends Message {
  /**
   * The part of `content` around the first place that was found, at most 300 characters; plain text, in
   * pieces. Joined they are a part of `content` as it is.
   */
  highlight: HighlightPiece[];
}

/** One message. Within a session `created_at` strictly increases, on whatever instance it was written. */
export interface Message {
  id: string;
  session_id: string;
  role: MessageRole;
  /** Null where the sender no longer exists. */
  sender_id: number | null;
  sender_name: string;
  content: string;
  images: Image[];
  /** The message that this one answers. */
  reply_to: string | null;
  /** The task that answers it, or that wrote it; null where nobody answers. */
  task_id: string | null;
  status: MessageStatus;
  error: Fault | null;
  /**
   * Remarks for readers beside the text of a reply: `answer_cut` (the model reached the limit of tokens of one answer),
   * `no_tools`, `no_images` (the model takes none; told once in a conversation).
   */
  notices: Fault[];
  usage: Usage | null;
  /** At most 256 KiB as JSON: where there is more, the texts of the earliest are shortened, and at last the earliest left out. */
  tool_calls: ToolCall[];
  created_at: string;
  updated_at: string;
}

export type TaskStatus = 'queued' | 'running' | 'waiting_approval' | 'completed' | 'failed' | 'cancelled';

/** The work of answering one message. A session runs one at a time; the others wait, `queued`. */
export interface Task {
  id: string;
  session_id: string;
  /** The message that is answered. */
  message_id: string;
  /** The message that the answer is written into. */
  reply_id: string;
  /** The AI employee that works on it. */
  member_id: number;
  /** The member for whom it works. */
  requested_by: number;
  /** Where it works, or waits to work; null: on no node. */
  node_id: number | null;
  /** The start of the message. */
  title: string;
  status: TaskStatus;
  /**
   * Why it is in this state where that isn't plain: `aborted`, `session_deleted`, `member_deleted`, `member_inactive`, `node_deleted`, or
   * the failure's code; of one that is `queued`, that it waits for its node: `node_offline`, `node_draining`.
   */
  reason: string | null;
  progress: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  error: Fault | null;
}

/** An image that is sent: a data URL in base64, or an https URL, which is fetched at once. What the bytes are is found out from them. */
export type ImageInput = string | { url: string; mime_type?: string; name?: string };

export interface SendInput {
  /** 1 to 32,000 characters; empty only with images. */
  content: string;
  /** At most 10, together 20 MiB: PNG, JPEG, GIF, WebP. */
  images?: readonly ImageInput[];
  /** Left out, empty or null: a session is opened. */
  session_id?: string | null;
  /** For a session that is opened; default `ai`. */
  target_type?: TargetType;
  /** For a session that is opened; default: the default AI employee. */
  target_id?: string | number;
  /**
   * Opens another session with a person. Default false: a message that names a person and no session goes into their conversation that
   * was active last. With AI employees, and for notes, each message without a session opens one.
   */
  new?: boolean;
}

export interface Sent {
  /** The sent message; its stream carries the reply. */
  message_id: string;
  session_id: string;
  /** Null where nobody answers. */
  task_id: string | null;
}

/** Somebody whom one may talk with. */
export interface Contact {
  member_id: number;
  username: string;
  nickname: string;
  is_virtual: boolean;
  role: Role;
  /** An AI employee's job title; empty for people. */
  post: string;
  /** Whether administrators may read what is said with this AI employee; false for people. */
  oversight: boolean;
  /** An AI employee that needs no node is always `online`. */
  presence: 'online' | 'away' | 'dnd' | 'offline';
  /** State of the node that an AI employee works on; null if it has none, or if nothing is known of it. */
  node_status: string | null;
  /** The session with the contact; of several with a person the one that was active last; null where there is none yet. */
  session_id: string | null;
  last_message_at: string | null;
  /** With a person: of all conversations together. */
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
  /** Opens another session, also where there is one. Default false. */
  new?: boolean;
}

/** The session with a contact. */
export interface Started {
  session_id: string;
  /** false: it was there already. */
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

/** A text that was taken into a task that waits or runs. */
export interface Joined {
  /** The text, as a message of the session. */
  message_id: string;
  session_id: string;
  task_id: string;
}

/** A task that waits or runs, as administrators see everybody's: nothing of what it is about. */
export interface RunRecord {
  task_id: string;
  /** The AI employee. */
  member_id: number;
  member_name: string;
  /** The member for whom it works. */
  requested_by: number;
  node_id: number | null;
  status: TaskStatus;
  /** The name of the tool that it uses now. */
  tool: string | null;
  /** So far, as often as the model tells. */
  input_tokens: number;
  output_tokens: number;
  created_at: string;
  started_at: string | null;
}

/** The same, with the message and its reply where oversight is switched on for the AI employee. */
export interface RunDetail extends RunRecord {
  oversight: boolean;
  message: Message | null;
  reply: Message | null;
}

export interface RunQuery {
  /** Only this AI employee's. */
  member_id?: number;
  limit: number;
  offset: number;
}

/** How an abort or a cancel ended. When it is answered, the generator has stopped and nothing follows. */
export interface Stopped {
  task_id: string | null;
  /** The task's state now; null where nobody answers the message. */
  status: TaskStatus | null;
}

/** The same of a task that is there. */
export interface StoppedTask extends Stopped {
  task_id: string;
  status: TaskStatus;
}

/** A stream to read, perhaps after a cursor. */
export interface After {
  after?: string;
}

/**
 * Events of a stream have `seq` (rising within a reply; 0 while its task waits), `task_id` and `message_id` (the reply):
 * `message.started {message}`, `message.delta {delta}`, `reasoning.delta {delta}`,
 * `tool.started {tool_call_id, name, input}`, `tool.output {tool_call_id, delta}`,
 * `tool.finished {tool_call_id, output, error}`, `approval.required {approval}`, `approval.resolved {approval}`,
 * `message.notice {notice}` (one of the message's `notices`),
 * `message.joined {message}` (a text sent into the task, where the answer takes it up), `snapshot {message}` (replaces what the reader has of
 * that message), `task.updated {task}`,
 * `node.awaited {node_id, reason}` (its task waits for that node), `message.completed {message}`, `message.aborted {message}`,
 * `message.failed {message, error}`, and `done`, the last one of a message's or a task's stream.
 */
export type ReplyStream = AsyncIterable<StreamEvent>;

/** Things in a conversation that have an id of their own. */
export type IdKind = 'session' | 'message' | 'task';

/** Something that a member sees, by its id. */
export interface FoundId {
  id: string;
  /** Its title, or the beginning of its text. */
  about: string;
}

export type ChatApi = {
  'chat.usage': { input: object; answer: MemberUsage };
  'chat.lookup': { input: { kind: IdKind; part: string }; answer: FoundId[] };
  'sessions.list': { input: { target_type?: string; limit: number; offset: number }; answer: Session[] };
  'sessions.create': { input: { title: string; target_type: TargetType; target_id: string | number }; answer: Session };
  'sessions.get': { input: { session_id: string }; answer: Session };
  'sessions.delete': { input: { session_id: string }; answer: undefined };
  'sessions.members': { input: { session_id: string }; answer: SessionMember[] };
  'sessions.add_member': { input: { session_id: string; member_id: number }; answer: SessionMember };
  'sessions.remove_member': { input: { session_id: string; member_id: number }; answer: undefined };
  'sessions.stream': { input: { session_id: string } & After; answer: ReplyStream };
  'chat.send': { input: SendInput; answer: Sent };
  'chat.abort': { input: { message_id: string }; answer: Stopped & { message_id: string; aborted: boolean } };
  'unread.mark_read': { input: { session_id: string }; answer: { session_id: string; unread_count: 0 } };
  'unread.counts': { input: object; answer: { counts: Record<string, number> } };
  'contacts.list': { input: ContactQuery; answer: Contact[] };
  'contacts.start': { input: StartInput; answer: Started };
  'images.get': { input: { hash: string }; answer: FileAnswer };
  'messages.list': { input: { session_id: string; before?: string; limit: number }; answer: Message[] };
  'messages.search': { input: { q: string; session_id?: string; limit: number }; answer: FoundMessage[] };
  'messages.get': { input: { message_id: string }; answer: Message };
  'messages.stream': { input: { message_id: string } & After; answer: ReplyStream };
  'runs.list': { input: RunQuery; answer: RunRecord[] };
  'runs.get': { input: { task_id: string }; answer: RunDetail };
  'runs.abort': { input: { task_id: string }; answer: StoppedTask & { aborted: boolean } };
  'tasks.active': { input: object; answer: Task[] };
  'tasks.get': { input: { task_id: string }; answer: Task };
  'tasks.cancel': { input: { task_id: string }; answer: StoppedTask & { cancelled: boolean } };
  'tasks.message': { input: { task_id: string; content: string }; answer: Joined };
  'tasks.stream': { input: { task_id: string } & After; answer: ReplyStream };
};

/** Chat's service for extensions in the same process. Sessions and messages of other members do not exist for it. */
export interface ChatService {
  /** A session as the member sees it; undefined where it doesn't. */
  session(id: string, member_id: number): Promise<Session | undefined>;
  /** The people of a session, also those for whom it is hidden. Empty where there is none. */
  participants(session_id: string): Promise<number[]>;
  /** As the operation `chat.send`, with its failures. Not inside a transaction. */
  send(input: SendInput, asker: Asker): Promise<Sent>;
  /**
   * The reply to a message, or a message that nobody answers, up to `done`. Fails with `message_not_found`. It isn't the member who
   * reads: what is unread stays so.
   */
  follow(message_id: string, member_id: number, following: After & { signal: AbortSignal }): ReplyStream;
  /** How many tasks of members run now, on whatever instance, and how many wait for an approval; those that do nothing are left out. */
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

/** Whom chat's handlers serve. */
export type Asker = Pick<Caller, 'member_id' | 'scopes'>;
