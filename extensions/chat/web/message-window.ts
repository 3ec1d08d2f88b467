import type { Message, MessagePage } from '../contract.js';
import type { MessageFrame } from './records.js';

/** Part of a conversation that a page has: messages one after the other, without a gap. */
export interface WindowState {
  phase: 'loading' | 'ready' | 'failed';
  messages: readonly Message[];
  hasOlder: boolean;
  hasNewer: boolean;
  /** The direction in which a page is being read. */
  reading: 'older' | 'newer' | undefined;
  error: unknown;
  /** Whether the last change was at the beginning: then the list keeps its place from the end. */
  shift: boolean;
  /** Rises when the messages were replaced by others, so that the list begins anew. */
  generation: number;
}

/** Reads messages of the conversation or of a thread. */
export interface Source {
  list(page: Pick<MessagePage, 'before' | 'after' | 'limit'>): Promise<Message[]>;
  get(message_id: string): Promise<Message>;
  /** Whether a message belongs to the window. */
  has(message: Message): boolean;
}

/** Messages that are read at a time. */
export const page_length = 50;
/** Messages that a window keeps. Beyond it, those at the other end are left out, and are read again when they are needed. */
const max_messages = 500;

const begun: WindowState = {
  phase: 'loading',
  messages: [],
  hasOlder: false,
  hasNewer: false,
  reading: undefined,
  error: undefined,
  shift: false,
  generation: 0,
};

/** Reads the messages of a conversation page by page around a place, and follows their changes. */
export class MessageWindow {
  readonly #source: Source;
  readonly #listeners = new Set<() => void>();
  #state: WindowState;
  /** Counts the loads: the answer to an earlier one is dropped. */
  #load = 0;
  /** Reads under way. Their answers may be older than what arrives meanwhile. */
  #reads = 0;
  /** Repeats what has arrived during a read. */
  #arrived: (() => void)[] = [];

  /** @param recalled messages from before, which {@link catchUp} brings up to date. */
  constructor(source: Source, recalled?: WindowState) {
    this.#source = source;
    this.#state = recalled ?? begun;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): WindowState => this.#state;

  /** Reads the latest messages, or those around one. `early`: the latest ones, which were asked for before. */
  async open(around?: string, early?: Promise<Message[]>): Promise<void> {
    const load = ++this.#load;
    if (this.#state.phase === 'failed') this.#set({ phase: 'loading', error: undefined });
    try {
      const opened = await this.#reading(() => (around === undefined ? this.#latest(early) : this.#around(around)));
      if (load === this.#load)
        this.#set({
          ...opened,
          phase: 'ready',
          reading: undefined,
          error: undefined,
          shift: false,
          generation: this.#state.generation + 1,
        });
      this.#repeatArrived();
    } catch (error) {
      if (load !== this.#load) return undefined;
      if (around !== undefined && (error as { code?: unknown }).code === 'message_not_found') return this.#openLatest(error);
      this.#set({ phase: this.#state.messages.length === 0 ? 'failed' : 'ready', error });
    }
    return undefined;
  }

  async older(): Promise<void> {
    const { phase, hasOlder, reading, messages } = this.#state;
    const before = messages[0]?.id;
    if (phase !== 'ready' || !hasOlder || reading || before === undefined) return;
    await this.#more('older', async () => {
      const found = await this.#source.list({ before, limit: page_length });
      return { messages: [...found, ...this.#state.messages], hasOlder: found.length > 0, shift: true };
    });
    this.#trim('newer');
  }

  async newer(): Promise<void> {
    const { phase, hasNewer, reading, messages } = this.#state;
    const after = messages.at(-1)?.id;
    if (phase !== 'ready' || !hasNewer || reading || after === undefined) return;
    await this.#more('newer', async () => {
      const found = await this.#source.list({ after, limit: page_length });
      return { messages: merged(this.#state.messages, found), hasNewer: found.length > 0, shift: false };
    });
    this.#trim('older');
  }

  /** Reads what has come since the last message, after frames may have been missed. */
  async catchUp(): Promise<void> {
    const { phase, hasNewer, messages } = this.#state;
    if (phase !== 'ready') return this.open();
    if (hasNewer) return undefined;
    const load = this.#load;
    try {
      const latest = await this.#reading(() => this.#source.list({ limit: page_length }));
      if (load !== this.#load) return undefined;
      const last = messages.at(-1);
      const isConnected = last === undefined || latest.length < page_length || latest.some(({ id }) => id === last.id);
      if (!isConnected) return await this.open();
      // Those of the page replace the known ones: they may have been edited or deleted.
      const known = this.#state.messages.filter(({ created_at }) => created_at < (latest[0]?.created_at ?? ''));
      this.#set({ messages: [...known, ...latest], shift: false });
      this.#repeatArrived();
    } catch {
      // The next reconnection tries again; what is shown stays.
    }
    return undefined;
  }

  /** Adds a message that has arrived, or replaces it. */
  take(message: Message): void {
    if (!this.#source.has(message)) return;
    if (this.#reads > 0) this.#arrived.push(() => this.#takeIfNewer(message));
    if (this.#state.phase !== 'ready') return;
    const { messages, hasOlder, hasNewer } = this.#state;
    const index = indexOf(messages, message);
    const known = messages[index];
    // One outside of the window is read with its page.
    const isOutside = (index === 0 && hasOlder) || (index === messages.length && hasNewer);
    if (known?.id === message.id) this.#replace(index, withOwnReactions(message, known));
    else if (!isOutside) this.#set({ messages: [...messages.slice(0, index), message, ...messages.slice(index)], shift: false });
  }

  /** Takes a frame; reads the message if it was too long for it. */
  async takeFrame({ message, truncated }: MessageFrame): Promise<void> {
    const known = this.find(message.id);
    if (!truncated || !this.#source.has(message)) return this.take(message);
    if (known?.updated_at === message.updated_at && known.content.length >= message.content.length) return undefined;
    const whole = await this.#source.get(message.id).catch(() => undefined);
    if (whole) this.take(whole);
    return undefined;
  }

  delete(message_id: string): void {
    if (this.#reads > 0) this.#arrived.push(() => this.delete(message_id));
    this.change(message_id, (message) => ({
      ...message,
      content: '',
      images: [],
      files: [],
      tool_calls: [],
      reactions: [],
      deleted_at: message.deleted_at ?? new Date().toISOString(),
    }));
  }

  change(message_id: string, change: (message: Message) => Message): void {
    const index = this.#state.messages.findIndex(({ id }) => id === message_id);
    const message = this.#state.messages[index];
    if (message) this.#replace(index, change(message));
  }

  find(message_id: string): Message | undefined {
    return this.#state.messages.find(({ id }) => id === message_id);
  }

  /** Reads, and notes what arrives meanwhile. */
  async #reading<T>(read: () => Promise<T>): Promise<T> {
    if (this.#reads === 0) this.#arrived = [];
    this.#reads += 1;
    try {
      return await read();
    } finally {
      this.#reads -= 1;
    }
  }

  /** Adds what has arrived since the read began, which its answer may not have. */
  #repeatArrived(): void {
    if (this.#reads > 0) return;
    const arrived = this.#arrived;
    this.#arrived = [];
    for (const repeat of arrived) repeat();
  }

  #takeIfNewer(message: Message): void {
    const known = this.find(message.id);
    if (!known || known.updated_at < message.updated_at) this.take(message);
  }

  async #latest(early?: Promise<Message[]>): Promise<Pick<WindowState, 'messages' | 'hasOlder' | 'hasNewer'>> {
    const messages = (await early?.catch(() => undefined)) ?? (await this.#source.list({ limit: page_length }));
    return { messages, hasOlder: messages.length >= page_length, hasNewer: false };
  }

  /** Shows the latest messages instead of those around one that is gone, and says so. */
  async #openLatest(error: unknown): Promise<void> {
    await this.open();
    this.#set({ error });
  }

  async #around(message_id: string): Promise<Pick<WindowState, 'messages' | 'hasOlder' | 'hasNewer'>> {
    const limit = page_length / 2;
    const [message, before, after] = await Promise.all([
      this.#source.get(message_id),
      this.#source.list({ before: message_id, limit }),
      this.#source.list({ after: message_id, limit }),
    ]);
    // A reply in a thread: the conversation shows the message with which the thread begins.
    if (!this.#source.has(message)) return message.thread_id === null ? this.#latest() : this.#around(message.thread_id);
    return { messages: [...before, message, ...after], hasOlder: before.length >= limit, hasNewer: after.length >= limit };
  }

  async #more(reading: 'older' | 'newer', read: () => Promise<Partial<WindowState>>): Promise<void> {
    const load = this.#load;
    this.#set({ reading, error: undefined, shift: false });
    try {
      const found = await read();
      if (load === this.#load) this.#set({ ...found, reading: undefined });
    } catch (error) {
      if (load === this.#load) this.#set({ reading: undefined, error, shift: false });
    }
  }

  /** Leaves out messages at one end. Later than those at the other end were added, because a list can follow one change at a time only. */
  #trim(end: 'older' | 'newer'): void {
    const load = this.#load;
    setTimeout(() => {
      const { messages, reading } = this.#state;
      const over = messages.length - max_messages;
      if (over <= 0 || reading || load !== this.#load) return;
      if (end === 'newer') this.#set({ messages: messages.slice(0, max_messages), hasNewer: true, shift: false });
      else this.#set({ messages: messages.slice(over), hasOlder: true, shift: true });
    }, 200);
  }

  #replace(index: number, message: Message): void {
    const messages = [...this.#state.messages];
    messages[index] = message;
    this.#set({ messages, shift: false });
  }

  #set(changes: Partial<WindowState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

/** Returns the position of a message, or the one at which it belongs. Within a conversation times strictly increase. */
function indexOf(messages: readonly Message[], { id, created_at }: Message): number {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const one = messages[index] as Message;
    if (one.id === id) return index;
    if (one.created_at < created_at) return index + 1;
  }
  return 0;
}

function merged(known: readonly Message[], found: readonly Message[]): Message[] {
  const ids = new Set(known.map(({ id }) => id));
  return [...known, ...found.filter(({ id }) => !ids.has(id))];
}

/** Keeps whose reactions are the member's own: frames and streams, which several members get, don't say it. */
function withOwnReactions(message: Message, known: Message): Message {
  const mine = new Set(known.reactions.filter((reaction) => reaction.mine).map(({ emoji }) => emoji));
  if (mine.size === 0) return message;
  return {
    ...message,
    reactions: message.reactions.map((reaction) => (mine.has(reaction.emoji) ? { ...reaction, mine: true } : reaction)),
  };
}

/** Returns the reactions after one was added or removed. */
export function withReaction(message: Message, { emoji, added, mine }: { emoji: string; added: boolean; mine: boolean }): Message {
  const known = message.reactions.find((reaction) => reaction.emoji === emoji);
  if (mine && known?.mine === added) return message;
  const count = (known?.count ?? 0) + (added ? 1 : -1);
  const changed = { emoji, count, mine: mine ? added : (known?.mine ?? false) };
  if (!known) return added ? { ...message, reactions: [...message.reactions, changed] } : message;
  const reactions = message.reactions.map((reaction) => (reaction.emoji === emoji ? changed : reaction));
  return { ...message, reactions: reactions.filter((reaction) => reaction.count > 0) };
}
