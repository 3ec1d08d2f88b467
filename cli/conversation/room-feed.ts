import { setTimeout as sleep } from 'node:timers/promises';
import { isFailure } from '../../kernel/contract/failure.js';
import type { StreamEvent } from '../../kernel/contract/operation.js';
import { Approvals } from '../approvals.js';
import type { Context } from '../command.js';
import { connectionLost } from '../follow.js';
import { linesFor } from '../remark.js';
import { isFinal } from '../reply-order.js';
import type { Session } from '../session.js';
import { cell, cut } from '../table.js';
import { ToolLines } from '../tool-lines.js';
import type { Api } from './api.js';
import type { Sent } from './conversation.js';
import { messageText, type ShownMessage } from './message-text.js';
import type { Prompt } from './prompt.js';

export interface RoomFeedParts {
  api: Api;
  session: Session;
  context: Context;
  prompt: Prompt;
  session_id: string;
  /** The member who sits at the terminal. */
  member_id: number;
}

interface EventData {
  task_id?: string | null;
  message_id?: string;
  message?: ShownMessage | null;
  task?: { id: string; status: string; requested_by: number };
  approval?: { name: string; requested_by: number };
  /** The member who reacts. */
  member_id?: number;
  emoji?: string;
  added?: boolean;
  notice?: { message: string };
}

/** A message that is on the screen, or was sent from here. */
interface KnownMessage {
  /** The sender; empty for oneself. */
  name: string;
  /** Its beginning on one line. */
  start: string;
}

const retry_ms = 2_000;
const max_retry_ms = 30_000;
/** Limit of the messages, and of the members, that are remembered. */
const max_known = 500;
/** Length of the quotation that says which message is meant, in characters. */
const quotation_length = 30;
/** Width that the sender's name takes before a line about a tool. */
const min_tool_columns = 20;

/**
 * Shows what happens in a room while a person sits at the prompt: the messages of others, and each answer under its sender's name once it is
 * complete, so that answers written side by side don't mix. Asks for the approvals of the person's own tasks.
 */
export class RoomFeed {
  readonly #parts: RoomFeedParts;
  readonly #ending = new AbortController();
  readonly #approvals: Approvals;
  readonly #tools: ToolLines;
  /** The person's own tasks that wait or run. */
  readonly #own = new Set<string>();
  readonly #known = new Map<string, KnownMessage>();
  /** Names of members, by id. */
  readonly #names = new Map<number, string>();
  #history: Promise<unknown> = Promise.resolve();
  #sending: Promise<unknown> = Promise.resolve();
  #following: Promise<void> = Promise.resolve();

  constructor(parts: RoomFeedParts) {
    const { session, context, prompt } = parts;
    this.#parts = parts;
    this.#tools = new ToolLines(Math.max(min_tool_columns, (context.terminal.stdout.columns || 80) - 2));
    this.#approvals = new Approvals({
      session,
      terminal: context.terminal,
      wait_ms: 0,
      ask: (question, signal) => prompt.ask(question, signal),
      say: (line) => this.#say(line),
      ended: () => undefined,
    });
  }

  /** Whether own tasks wait or run. */
  get hasTasks(): boolean {
    return this.#own.size > 0;
  }

  /** Begins to follow the room; shows nothing before the history, which `show` writes. */
  async start(show: () => Promise<readonly ShownMessage[]>): Promise<void> {
    const { api, session_id } = this.#parts;
    const tasks = await api.call<{ id: string; session_id: string }[]>('tasks.active', {});
    for (const task of tasks) if (task.session_id === session_id) this.#own.add(task.id);
    let release: () => void = () => undefined;
    this.#history = new Promise<void>((resolve) => (release = resolve));
    this.#following = this.#follow();
    try {
      for (const message of await show()) if (message.status !== 'streaming') this.#remember(message);
    } finally {
      release();
    }
  }

  async stop(): Promise<void> {
    this.#approvals.close();
    this.#ending.abort();
    await this.#following;
  }

  /** Sends a message. It is not shown again, and its tasks are the person's own. */
  async send(work: () => Promise<Sent>): Promise<Sent> {
    const sending = work();
    // An event about it may arrive before the answer.
    this.#sending = sending.catch(() => undefined);
    const sent = await sending;
    keep(this.#known, sent.message_id, { name: '', start: '' });
    return sent;
  }

  /** Stops the person's own tasks, not those of others. */
  async stopTasks(): Promise<void> {
    const own = [...this.#own];
    this.#own.clear();
    this.#say(`Stopping ${own.length === 1 ? 'your task' : `your ${own.length} tasks`}; press Ctrl-C again to leave`);
    await Promise.all(own.map((task_id) => this.#parts.api.call('tasks.cancel', { task_id }).catch(this.#report)));
  }

  /** Follows the room until it is stopped. Reconnects after a lost connection, with growing waits. */
  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    let after: string | undefined;
    let wait_ms = retry_ms;
    while (!signal.aborted) {
      try {
        const input = { session_id: this.#parts.session_id, ...(after && { after }) };
        for await (const event of this.#parts.api.stream('sessions.stream', input, signal)) {
          after = event.id ?? after;
          wait_ms = retry_ms;
          await this.#history;
          await this.#take(event);
        }
      } catch (fault) {
        if (signal.aborted) return;
        if (isFailure(fault) && fault.code === 'session_not_found')
          return this.#say('You are no longer in this room; go to another one with :open, or leave with :quit');
        if (!isFailure(fault) || !connectionLost.has(fault.code)) return this.#report(fault);
        if (wait_ms === retry_ms) this.#say(`${fault.message}; new messages are shown once the connection is back`);
      }
      await sleep(wait_ms, undefined, { signal }).catch(() => undefined);
      wait_ms = Math.min(max_retry_ms, wait_ms * 2);
    }
  }

  async #take(event: StreamEvent): Promise<void> {
    const { type } = event;
    const data = event.data as EventData;
    const { message, task, notice } = data;
    const isOwn = typeof data.task_id === 'string' && this.#own.has(data.task_id);
    if (type === 'task.updated' && task) this.#takeTask(task);
    else if (isFinal(type) && message) await this.#show(message);
    else if (type === 'snapshot' && message && message.status !== 'streaming') await this.#show(message);
    else if (type === 'message.started' && message && isOwn) this.#begin(message);
    else if (type === 'message.edited' && message) await this.#showEdited(message);
    else if (type === 'reaction') await this.#showReaction(data);
    else if (type === 'message.deleted') this.#showDeleted(String(data.message_id));
    else if (type === 'message.notice' && notice && isOwn) this.#say(`Note: ${notice.message}`);
    else if (type.startsWith('tool.') && isOwn) this.#showTool(event);
    else if (type.startsWith('approval.')) await this.#takeApproval(event, isOwn);
    if (isOwn && isFinal(type) && message?.role !== 'user') this.#own.delete(String(data.task_id));
  }

  #takeTask({ id, status, requested_by }: NonNullable<EventData['task']>): void {
    const isOver = /^(completed|failed|cancelled)$/.test(status);
    if (isOver) this.#own.delete(id);
    else if (status === 'queued' && requested_by === this.#parts.member_id) this.#own.add(id);
  }

  async #show(message: ShownMessage): Promise<void> {
    if (message.sender_id === this.#parts.member_id) await this.#sending;
    const known = this.#known.get(message.id);
    if (known === undefined) {
      this.#remember(message);
      await this.#write(message);
    } else known.start = startOf(message);
  }

  async #showEdited(message: ShownMessage): Promise<void> {
    const known = this.#known.get(message.id);
    if (known === undefined) return;
    known.start = startOf(message);
    await this.#write(message);
  }

  async #write(message: ShownMessage): Promise<void> {
    const thread = message.thread_id === null ? undefined : this.#quoted(message.thread_id);
    this.#parts.prompt.above(await messageText(message, this.#parts.context.terminal, { thread }));
  }

  /** Shows a reaction of another member in a line. */
  async #showReaction({ message_id = '', member_id, emoji = '', added }: EventData): Promise<void> {
    if (member_id === undefined || member_id === this.#parts.member_id) return;
    const name = await this.#nameOf(member_id);
    const to = this.#quoted(message_id) ?? 'an earlier message';
    this.#say(added === false ? `${name} took back ${cell(emoji)} from ${to}` : `${name} reacted with ${cell(emoji)} to ${to}`);
  }

  /** Returns the beginning of a message in quotation marks; undefined if it is not known. */
  #quoted(message_id: string): string | undefined {
    const start = this.#known.get(message_id)?.start ?? '';
    return start === '' ? undefined : `'${start}'`;
  }

  async #nameOf(member_id: number): Promise<string> {
    const known = this.#names.get(member_id);
    if (known !== undefined) return known;
    const found = await this.#parts.api.call<{ nickname: string }>('members.get', { id: member_id }).catch(() => undefined);
    const name = cell(found?.nickname ?? 'A former member');
    keep(this.#names, member_id, name);
    return name;
  }

  #showDeleted(message_id: string): void {
    const name = this.#known.get(message_id)?.name;
    if (name !== undefined) this.#say(name === '' ? 'A message of yours was deleted' : `A message of ${cell(name)} was deleted`);
  }

  #begin({ id, sender_name }: ShownMessage): void {
    if (!this.#known.has(id)) this.#say(`${cell(sender_name)} is writing …`);
  }

  #showTool(event: StreamEvent): void {
    for (const line of this.#tools.take(event)) this.#parts.prompt.above(`  ${line}\n`);
  }

  async #takeApproval(event: StreamEvent, isOwn: boolean): Promise<void> {
    const { approval } = event.data as EventData;
    if (isOwn) this.#approvals.take(event);
    if (isOwn || approval === undefined || event.type !== 'approval.required') return;
    const asker = await this.#nameOf(approval.requested_by);
    this.#say(`'${cell(approval.name)}' waits for the approval of ${asker}`);
  }

  #remember(message: ShownMessage): void {
    const { id, sender_id, sender_name } = message;
    keep(this.#known, id, { name: sender_name, start: startOf(message) });
    if (sender_id !== null) keep(this.#names, sender_id, cell(sender_name));
  }

  #say(text: string): void {
    const lines = linesFor(text, { stderr: this.#parts.context.terminal.stdout });
    this.#parts.prompt.above(lines.map((line) => `${line}\n`).join(''));
  }

  readonly #report = (fault: unknown) => this.#say(fault instanceof Error ? fault.message : String(fault));
}

/** Adds an entry; forgets the oldest beyond the limit. */
function keep<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max_known && oldest !== undefined) map.delete(oldest);
}

/** Returns the beginning of a message on one line; the name of its first image or file if it has no text. */
function startOf({ content, images: [image], files: [file] = [] }: ShownMessage): string {
  return cut(cell(content).trim() || cell(image?.name ?? file?.name ?? ''), quotation_length);
}
