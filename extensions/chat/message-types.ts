import type { Fault, MemberUsage, TargetType, Usage } from './contract.js';
import type { Mention, NotInRoom } from './rooms/types.js';

/** Sender of a message: a member writes as `user`, an AI employee as `assistant`. */
export type MessageRole = 'user' | 'assistant' | 'system' | 'tool';
/** State of a message. A reply is `streaming` until it is `completed`, `aborted` or `failed`. */
export type MessageStatus = 'pending' | 'streaming' | 'completed' | 'aborted' | 'failed';

/** An image of a message, as clients get it. */
export interface Image {
  /** Path on this platform, which serves it to members who may see the session. */
  url: string;
  mime_type: string;
  name?: string;
}

/** A file of a message. It is served under `/api/chat/files/{id}`. */
export interface MessageFile {
  /** UUID, version 7. */
  id: string;
  /** At most 200 characters, safe to show and to save under. */
  name: string;
  /** Detected from the bytes for images that browsers may show; otherwise a hint from the ending of the name. */
  mime_type: string;
  bytes: number;
  /** In hex. */
  sha256: string;
}

/** A file that its uploader has not sent yet. */
export interface UnsentFile extends MessageFile {
  /** Time at which it is removed unless a message names it. */
  expires_at: string;
}

/** The unsent files of a member, newest first, and what the member has stored. */
export interface UnsentFiles extends MemberUsage {
  items: UnsentFile[];
  /** Number of all unsent files. */
  total: number;
}

/** The file of an upload, as the kernel has received it. */
export interface ReceivedFile {
  /** Name from the sender. Not a path, and not safe. */
  filename: string;
  path: string;
  bytes: number;
}

/** A tool that was used while a reply was written. */
export interface ToolCall {
  id: string;
  name: string;
  /**
   * The input; if its JSON has more than 16,384 bytes, the beginning of the JSON as a text. In a room null until the tool runs, and after a
   * denial.
   */
  input: unknown;
  /** At most 16,384 bytes as JSON; the rest is cut off. */
  output: string | null;
  /** Why it failed, as a sentence; null if it succeeded. Cut off like `output`. */
  error: string | null;
  started_at: string;
  finished_at: string | null;
}

/** One message. Within a session `created_at` strictly increases, also if several instances write. */
export interface Message {
  id: string;
  session_id: string;
  role: MessageRole;
  /** Null if the sender was deleted. */
  sender_id: number | null;
  sender_name: string;
  content: string;
  images: Image[];
  /** At most 10. */
  files: MessageFile[];
  /** The message that this one answers. */
  reply_to: string | null;
  /** The task that answers this message, or that writes this reply; null if nobody answers. */
  task_id: string | null;
  status: MessageStatus;
  error: Fault | null;
  /**
   * Remarks for readers beside the text of a reply: `answer_cut` (the model reached the limit of tokens of one answer),
   * `no_tools`, `no_images` (the model supports none; noted once in a conversation).
   */
  notices: Fault[];
  usage: Usage | null;
  /** At most 256 KiB as JSON. If there is more, the texts of the earliest calls are shortened, and then the earliest calls left out. */
  tool_calls: ToolCall[];
  /** The members of a room whom the text mentions, in the order of the text. Empty outside of rooms. */
  mentions: Mention[];
  created_at: string;
  updated_at: string;
  /** Time of the last edit. */
  edited_at: string | null;
  /** Time of the deletion. A deleted message stays without text, images, files, tool calls and reactions. */
  deleted_at: string | null;
  /** The first message of the thread that this one is in; null outside of threads. */
  thread_id: string | null;
  /** Number of messages in the thread that begins with this one. */
  reply_count: number;
  last_reply_at: string | null;
  /** The earliest first; at most 20 different emoji. */
  reactions: Reaction[];
}

/** A report of a message to the owners of its room, or to the administrators. */
export interface MessageReport {
  message_id: string;
  /** Time of the member's first report of the message. */
  reported_at: string;
  /** Whether the member had reported the message before. Nobody is notified again. */
  repeated: boolean;
}

/** An emoji with which members have reacted to a message. */
export interface ReactionCount {
  emoji: string;
  /** Number of members. */
  count: number;
}

/** A reaction as the caller sees it. */
export interface Reaction extends ReactionCount {
  /** Whether the caller is among them. Always false in streams and pushed frames, which several members get. */
  mine: boolean;
}

/** A part of a text, for highlighting matches. */
export interface HighlightPiece {
  text: string;
  /** Whether it matches the search. */
  match: boolean;
}

/** A message that a search found. */
export interface FoundMessage extends Message {
  /**
   * Excerpt around the first match, at most 300 characters of plain text. The joined pieces are a literal part of `content`, or of `content`
   * followed by the names of the files, a line each, and by the beginnings of their texts.
   */
  highlight: HighlightPiece[];
}

/** A page of the messages of a session or, with `thread_id`, of a thread beginning with its first message. */
export interface MessagePage {
  /** Required without `thread_id`. */
  session_id?: string;
  thread_id?: string;
  /** `roots`: only messages outside of threads. */
  threads?: 'roots';
  /** ISO 8601 time, or the id of a message of the page's session: only earlier messages. */
  before?: string;
  /** ISO 8601 time, or the id of a message of the page's session: only later messages, the earliest of them. Not together with `before`. */
  after?: string;
  /** 1 to 200. */
  limit: number;
}

/** An image to send: a data URL in base64, or an https URL, which is fetched at once. Its type is detected from the bytes. */
export type ImageInput = string | { url: string; mime_type?: string; name?: string };

/** A message to send. */
export interface SendInput {
  /** 1 to 32,000 characters; empty only with images or files. */
  content: string;
  /** At most 10, together 20 MiB: PNG, JPEG, GIF, WebP. */
  images?: readonly ImageInput[];
  /** Ids of files that the sender has uploaded, or sent before in a session that it sees; at most 10. */
  files?: readonly string[];
  /** Session to write in. Left out, empty or null: opens a session, with the exception of {@link new}. */
  session_id?: string | null;
  /** Kind of partner of an opened session. Default `ai`. */
  target_type?: TargetType;
  /** Member id of the partner of an opened session. Default: the default AI employee. */
  target_id?: string | number;
  /**
   * Whether a message to a person without `session_id` opens another session. Default false: it goes into the latest active conversation
   * with this person. A message to an AI employee, or a note, without `session_id` always opens a session.
   */
  new?: boolean;
  /** Message of the session that this one answers. It makes no thread. */
  reply_to?: string | null;
  /** Message of the session whose thread this one is in; one inside of a thread means its first message. An AI employee answers there. */
  thread_id?: string | null;
}

/** Result of sending a message. */
export interface Sent {
  /** The sent message; its stream carries the reply. */
  message_id: string;
  session_id: string;
  /** The first task that answers; null if nobody does. */
  task_id: string | null;
  /** All tasks that answer, one for each AI employee. */
  task_ids: string[];
  /** People whom the message mentions but who are not in the room. */
  not_in_room: NotInRoom[];
}

/** A message that was edited or deleted. */
export interface MessageChanged {
  message_id: string;
  session_id: string;
  deleted: boolean;
  /** Start of the new text on one line, at most 100 characters; empty for a deleted message. */
  preview: string;
}
