import type { Scope } from '../../kernel/contract/index.js';
import type { Fault, Image, Message, Session, TargetType, Task, Usage } from './contract.js';

/** The slot in which whoever answers for a kind of partner registers an {@link Answerer}. */
export type AnswererSlot = 'chat.answerer';

/** The AI employee, the member it works for, and the rights it has. */
export interface Placing extends Pick<Task, 'member_id' | 'requested_by'> {
  readonly scopes: 'all' | readonly Scope[];
}

/** Why a task waits for a node: it is away, or takes no new work. */
export type NodeWait = 'node_offline' | 'node_draining';

/**
 * Where a task works, as things are now: on this node; on none, because the AI employee has none or may not use it for
 * who asks; or nowhere yet, because it waits for this one.
 */
export type Place =
  | { readonly node_id: number; readonly waits?: never }
  | { readonly node_id: null; readonly why: 'no_node' | 'no_grant'; readonly waits?: never }
  | { readonly node_id: number; readonly waits: NodeWait };

/** Answers the messages of sessions with one kind of partner. chat itself knows no model. */
export interface Answerer {
  target_type: TargetType;
  /** The member that answers where a session names none. Fails with `no_ai_employee` where there is none. */
  defaultTarget(): Promise<number>;
  /**
   * Where tasks of members that are bound to a node may run now, in the order in which they are given: asked before
   * one begins, and again while it waits. Left out: each runs at once, on the node that its member is bound to.
   */
  places?(placings: readonly Placing[]): Promise<readonly Place[]>;
  /**
   * Writes the reply into `run`. What it throws makes the reply `failed`, with the failure's code. It
   * must end soon after `run.signal` aborts: the answer to an abort waits for it, at most 2.5 s.
   * Asked again with the same `run` where texts have joined the task that it hadn't taken by
   * `run.joined()` when it returned; `run.written` is then what it has written so far.
   */
  answer(run: Run): Promise<void>;
}

/** One reply that is being written. After its end, or an abort, what is written is dropped. */
export interface Run {
  readonly task: Task;
  readonly session: Session;
  /** The message to answer. */
  readonly message: Message;
  /** For whom it works, and with which rights: never more than those with which the message was sent. */
  readonly asker: { readonly member_id: number; readonly scopes: 'all' | readonly Scope[] };
  /** Aborts when a person stops the reply, or the platform does. */
  readonly signal: AbortSignal;
  /**
   * At most `limit` earlier messages of the conversation and the one to answer, oldest first; without those of {@link joined}. Of what
   * is before the latest 1 MiB a text has at most 1,400 characters, with a note of how many are left out, and there are no tool calls.
   */
  history(limit: number): Promise<Message[]>;
  /** The text of the reply so far. */
  readonly written: string;
  /** The texts that people have sent into the task since it was last asked, oldest first, each given once. */
  joined(): Promise<Message[]>;
  /** The bytes of an image of a message of this session. Fails with `image_not_found`. */
  image(image: Pick<Image, 'url'>): Promise<{ mime_type: string; bytes: Buffer }>;
  /**
   * Adds text to the reply. Await it: it waits while readers' transport is behind. Fails with
   * `reply_too_long` past 1,000,000 characters.
   */
  write(delta: string): Promise<void> | undefined;
  /** Shows readers what the model thinks; it isn't stored. */
  reasoning(delta: string): Promise<void> | undefined;
  /** Tells readers something beside the text, and keeps it with the message; each code once. */
  notice(notice: Fault): Promise<void> | undefined;
  readonly tools: ToolReports;
  readonly approvals: ApprovalReports;
  /** Adds tokens; the calls of a run add up. */
  usage(usage: Usage): void;
}

/** Shows the use of a tool to readers, and keeps it with the message. */
export interface ToolReports {
  /** Call it before the tool runs: when it returns, the text so far is stored. Gives the call's id. */
  started(name: string, input: unknown): Promise<string>;
  output(tool_call_id: string, delta: string): Promise<void>;
  finished(tool_call_id: string, result: { output: string | null; error: string | null }): Promise<void>;
}

/** Something for which a person's word is needed. Beside `id`, what its extension shows of it; at most 32 KiB of JSON. */
export interface Approval {
  readonly id: string | number;
}

/** Shows readers what waits for a person. While one approval is open the task is `waiting_approval`. */
export interface ApprovalReports {
  /** When it returns, the text so far is stored and the task waits. */
  required(approval: Approval): Promise<void>;
  resolved(approval: Approval): Promise<void>;
}
