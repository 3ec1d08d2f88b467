import type { Fault, Message, Task } from '../contract.js';
import { LiveReply, type ReplyEvent, type ReplyState } from './live-reply.js';
import type { MessageWindow } from './message-window.js';
import { withReaction } from './message-window.js';
import { isStill, Painter } from './painter.js';
import type { Approval, MessageFrame } from './records.js';

/** An event of a session's stream. */
export interface SessionEvent {
  id?: string;
  type: string;
  data: object;
}

/** Opens the stream of the session after a cursor. */
export type OpenStream = (after: string | undefined, signal: AbortSignal) => AsyncIterable<SessionEvent>;

interface EventData {
  message_id?: string;
  message?: Message | null;
  task?: Task;
  approval?: Approval;
  notice?: Fault;
  state?: ReplyState;
}

export interface FeedState {
  /** Running and waiting tasks. */
  tasks: readonly Task[];
  /** Tool calls that wait for a decision. */
  approvals: readonly Approval[];
  /** Whether the stream is interrupted and being opened again. */
  isInterrupted: boolean;
}

/** Replies whose parts are kept in the order in which they came. */
const max_replies = 40;
const first_wait_ms = 300;
const max_wait_ms = 5_000;

/** Follows one conversation: its replies as they are written, its tasks, approvals, and the changes of its messages. */
export class SessionFeed {
  readonly #me: number;
  readonly #open: OpenStream;
  readonly #painter = new Painter();
  readonly #windows = new Set<MessageWindow>();
  readonly #replies = new Map<string, LiveReply>();
  readonly #replyListeners = new Map<string, Set<() => void>>();
  readonly #listeners = new Set<() => void>();
  #state: FeedState = { tasks: [], approvals: [], isInterrupted: false };
  /** Ended replies and tasks: a list that was read just before must not bring them back. */
  readonly #ended = new Set<string>();
  #cursor: string | undefined;
  #follows: AbortController | undefined;

  constructor({ me, open }: { me: number; open: OpenStream }) {
    this.#me = me;
    this.#open = open;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): FeedState => this.#state;

  /** Returns the reply with that id if it was followed while it was written. */
  reply(message_id: string): LiveReply | undefined {
    return this.#replies.get(message_id);
  }

  /** Calls the listener when the reply with that id begins to be followed. */
  onReply(message_id: string, listener: () => void): () => void {
    const listeners = this.#replyListeners.get(message_id) ?? new Set();
    this.#replyListeners.set(message_id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#replyListeners.delete(message_id);
    };
  }

  /** Lets a window follow the changes. */
  attach(window: MessageWindow): () => void {
    this.#windows.add(window);
    const stop = window.subscribe(() => this.#settle(window));
    return () => {
      stop();
      this.#windows.delete(window);
    };
  }

  /** Follows the session's stream until {@link pause}; opens it again when it drops. */
  follow(): void {
    if (this.#follows) return;
    this.#follows = new AbortController();
    void this.#run(this.#follows.signal);
  }

  /** Ends the stream. What is written meanwhile comes with the next {@link follow}. */
  pause(): void {
    this.#follows?.abort();
    this.#follows = undefined;
  }

  dispose(): void {
    this.pause();
    this.#painter.dispose();
  }

  /** Returns events for a tab that comes late: the replies in progress as they are here. */
  readonly catchUp = (): SessionEvent[] => {
    const open = [...this.#replies].filter(([, reply]) => !reply.isOver);
    return open.map(([message_id, reply]) => ({ type: 'adopt', data: { message_id, state: reply.state() } }));
  };

  setTasks(tasks: readonly Task[]): void {
    this.#set({ tasks: tasks.filter(({ id }) => !this.#ended.has(id)) });
  }

  setApprovals(approvals: readonly Approval[]): void {
    this.#set({ approvals: approvals.filter(({ id }) => !this.#ended.has(id)) });
  }

  takeTask(task: Task): void {
    const others = this.#state.tasks.filter(({ id }) => id !== task.id);
    const isOver = ['completed', 'failed', 'cancelled'].includes(task.status);
    if (isOver) this.#ended.add(task.id);
    this.#set({ tasks: isOver ? others : [...others, task].sort((a, b) => (a.id < b.id ? -1 : 1)) });
  }

  takeApproval(approval: Approval, isOpen: boolean): void {
    const others = this.#state.approvals.filter(({ id }) => id !== approval.id);
    if (!isOpen) this.#ended.add(approval.id);
    const known = this.#state.approvals.find(({ id }) => id === approval.id);
    // The stream of a room hides the input, which may be known already.
    const best = known && approval.input === null ? { ...approval, input: known.input } : approval;
    this.#set({ approvals: isOpen ? [...others, best] : others });
  }

  takeFrame(frame: MessageFrame): void {
    const { message, truncated } = frame;
    for (const window of this.#windows) void window.takeFrame(frame);
    if (message.role === 'assistant' && message.status !== 'streaming' && !truncated) this.#replies.get(message.id)?.finish(message);
  }

  takeDeletion(message_id: string): void {
    this.#replies.delete(message_id);
    for (const window of this.#windows) window.delete(message_id);
  }

  /** Returns a message that is shown. */
  find(message_id: string): Message | undefined {
    for (const window of this.#windows) {
      const found = window.find(message_id);
      if (found) return found;
    }
    return undefined;
  }

  /** Changes a message wherever it is shown. */
  change(message_id: string, change: (message: Message) => Message): void {
    for (const window of this.#windows) window.change(message_id, change);
  }

  takeReaction({ message_id, member_id, emoji, added }: { message_id: string; member_id: number; emoji: string; added: boolean }): void {
    const mine = member_id === this.#me;
    this.change(message_id, (message) => withReaction(message, { emoji, added, mine }));
  }

  async #run(signal: AbortSignal): Promise<void> {
    let wait_ms = first_wait_ms;
    while (!signal.aborted) {
      try {
        for await (const event of this.#open(this.#cursor, signal)) {
          if (signal.aborted) return;
          wait_ms = first_wait_ms;
          if (this.#state.isInterrupted) this.#set({ isInterrupted: false });
          if (event.id !== undefined) this.#cursor = event.id;
          this.#take(event);
        }
      } catch (error) {
        if (signal.aborted || isGone(error)) return;
        this.#set({ isInterrupted: true });
      }
      await sleep(wait_ms, signal);
      wait_ms = Math.min(wait_ms * 2, max_wait_ms);
    }
  }

  #take({ type, data }: SessionEvent): void {
    const { message_id, message, task, approval, notice, state } = data as EventData;
    if (task) this.takeTask(task);
    if (approval) this.takeApproval(approval, type === 'approval.required');
    if (message_id === undefined) return;
    if (state) {
      this.#replyOf(message_id).adopt(state);
      return;
    }
    // Reactions are counted, so they are taken from frames alone.
    if (type === 'message.deleted') this.takeDeletion(message_id);
    else if (notice) this.#note(message_id, notice);
    else if (message) for (const window of this.#windows) window.take(message);
    if (isOfReply(type, message)) this.#takeReply({ type, data } as ReplyEvent, message_id);
  }

  /** Ends replies that the window has read as ended: the events that say so may have been lost with the connection. */
  #settle(window: MessageWindow): void {
    for (const [id, reply] of this.#replies) {
      const message = reply.isOver ? undefined : window.find(id);
      if (message && message.status !== 'streaming' && message.status !== 'pending') reply.finish(message);
    }
  }

  #note(message_id: string, notice: Fault): void {
    this.change(message_id, (one) => ({ ...one, notices: [...one.notices, notice] }));
  }

  /** An ended reply is kept only if it was followed: its parts are then in the order in which they came. */
  #takeReply(event: ReplyEvent, message_id: string): void {
    const { message } = event.data;
    const isKnown = this.#replies.has(message_id);
    if (isKnown || !message || message.status === 'streaming') this.#replyOf(message_id).take(event);
  }

  #replyOf(message_id: string): LiveReply {
    const known = this.#replies.get(message_id);
    if (known) return known;
    const reply = new LiveReply({ request: this.#painter.request, isStill });
    this.#replies.set(message_id, reply);
    this.#forget();
    for (const listener of this.#replyListeners.get(message_id) ?? []) listener();
    return reply;
  }

  #forget(): void {
    for (const [id, reply] of this.#replies) {
      if (this.#replies.size <= max_replies) return;
      if (reply.isOver) this.#replies.delete(id);
    }
  }

  #set(changes: Partial<FeedState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

const reply_types = new Set(['message.started', 'message.delta', 'reasoning.delta', 'node.awaited', 'snapshot', 'message.notice']);

/** Returns whether the session can no longer be read: it was deleted, or the member has left it. */
function isGone(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'session_not_found';
}

function isOfReply(type: string, message: Message | null | undefined): boolean {
  if (message && message.role !== 'assistant') return false;
  return reply_types.has(type) || type.startsWith('tool.') || /^message\.(completed|aborted|failed)$/.test(type);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
