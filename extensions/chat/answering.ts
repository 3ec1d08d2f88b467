import type { Scope } from '../../kernel/contract/index.js';
import type { Fault, Image, Message, MessageFile, RunRoom, Session, TargetType, Task, Usage } from './contract.js';

/** Slot in which an extension that answers for a kind of partner registers an {@link Answerer}. */
export type AnswererSlot = 'chat.answerer';

/** The AI employee, the member it works for, and the rights it has. */
export interface Placing extends Pick<Task, 'member_id' | 'requested_by'> {
  readonly scopes: 'all' | readonly Scope[];
}

/** Why a task waits for a node: it is away, or takes no new work. */
export type NodeWait = 'node_offline' | 'node_draining';

/**
 * Current place of a task: on this node; on none, because the AI employee has none or may not use it for the asking member; or nowhere
 * yet, because the task waits for this node.
 */
export type Place =
  | { readonly node_id: number; readonly waits?: never }
  | { readonly node_id: null; readonly why: 'no_node' | 'no_grant'; readonly waits?: never }
  | { readonly node_id: number; readonly waits: NodeWait };

/** Answers the messages of sessions with one kind of partner. chat itself knows no model. */
export interface Answerer {
  target_type: TargetType;
  /** Returns the member that answers if a session names none. Fails with `no_ai_employee` if there is none. */
  defaultTarget(): Promise<number>;
  /**
   * Returns where tasks of members with a node may run now, in the given order. Called before a task starts, and again while it waits.
   * Without this method each task starts at once, on its member's node.
   */
  places?(placings: readonly Placing[]): Promise<readonly Place[]>;
  /**
   * Writes the reply into `run`. An error makes the reply `failed`, with the failure's code. It must return soon after `run.signal`
   * aborts, because the response to an abort waits for it, at most 2.5 s. Called again with the same `run` if texts have joined the task
   * that it had not read by `run.joined()` when it returned; `run.written` is then the text so far.
   */
  answer(run: Run): Promise<void>;
}

/** A reply in progress. Text written after its end or an abort is dropped. */
export interface Run {
  readonly task: Task;
  readonly session: Session;
  /** The message to answer. */
  readonly message: Message;
  /** The asking member and its rights: never more than those with which the message was sent. */
  readonly asker: { readonly member_id: number; readonly scopes: 'all' | readonly Scope[] };
  /** The room in which it answers; undefined in a conversation of two. */
  readonly room: RunRoom | undefined;
  /** Aborts when a person or the platform stops the reply. */
  readonly signal: AbortSignal;
  /**
   * Returns at most `limit` earlier messages of the conversation and the one to answer, oldest first, without those of {@link joined}.
   * Beyond the latest 1 MiB, texts are cut to 1,400 characters with a note of the omitted length, and tool calls are left out.
   */
  history(limit: number): Promise<Message[]>;
  /** Time of the last edit or deletion of a message of the session, as of the last call of {@link joined}. */
  readonly changed_at: string | null;
  /** Reads messages of this session again. Removed ones are missing. */
  reread(ids: readonly string[]): Promise<Message[]>;
  /** The text of the reply so far. */
  readonly written: string;
  /** Returns the texts that people have sent into the task since the last call, oldest first, each once. */
  joined(): Promise<Message[]>;
  /** Returns an image of a message of this session. Fails with `image_not_found`. */
  image(image: Pick<Image, 'url'>): Promise<{ mime_type: string; bytes: Buffer }>;
  /** Returns a file of a message of this session, if the asking member sees it. Fails with `file_not_found` and `server_busy`. */
  file(file: Pick<MessageFile, 'id'>): Promise<{ mime_type: string; bytes: Buffer }>;
  /**
   * Adds text to the reply. Await it: it waits while readers' transport is behind. Fails with
   * `reply_too_long` past 1,000,000 characters.
   */
  write(delta: string): Promise<void> | undefined;
  /** Shows readers the model's reasoning; it isn't stored. */
  reasoning(delta: string): Promise<void> | undefined;
  /** Adds a remark for readers to the message, beside the text; each code once. */
  notice(notice: Fault): Promise<void> | undefined;
  readonly tools: ToolReports;
  readonly approvals: ApprovalReports;
  /** Adds tokens; the calls of a run add up. */
  usage(usage: Usage): void;
}

/** Shows tool calls to readers and stores them with the message. */
export interface ToolReports {
  /** Call it before the tool runs: when it returns, the text so far is stored. Returns the call's id. */
  started(name: string, input: unknown): Promise<string>;
  /** Shows the input of a call that was started without it: in a room others see the input only once the tool runs. */
  input(tool_call_id: string, input: unknown): Promise<void>;
  output(tool_call_id: string, delta: string): Promise<void>;
  finished(tool_call_id: string, result: { output: string | null; error: string | null }): Promise<void>;
}

/** Something that a person must approve. Beside `id`, content of the requesting extension; at most 32 KiB of JSON. */
export interface Approval {
  readonly id: string | number;
}

/** Shows pending approvals to readers. While one is open the task is `waiting_approval`. */
export interface ApprovalReports {
  /** Opens an approval. When it returns, the text so far is stored and the task waits. */
  required(approval: Approval): Promise<void>;
  resolved(approval: Approval): Promise<void>;
}
