import type { Mentionable } from '../../kernel/client/mention-completion.js';
import { MentionableMembers } from '../../kernel/client/mentionable-members.js';
import { isFailure } from '../../kernel/contract/failure.js';
import { isYes } from '../ask.js';
import type { Context } from '../command.js';
import { Interrupted, report, UsageError } from '../exit.js';
import { remarkQuoted } from '../remark.js';
import type { Session } from '../session.js';
import { openStreamView } from '../stream-view.js';
import { cell } from '../table.js';
import type { Api } from './api.js';
import { type ColonCommand, parseColonCommand } from './colon-commands.js';
import type { Conversation, Sent, SessionRecord } from './conversation.js';
import { lineCompleter } from './line-completion.js';
import { LiveReply, type ReplySource } from './live-reply.js';
import { prepareMessage, type ReadyMessage } from './message-files.js';
import { messageText, type ShownMessage } from './message-text.js';
import { addableRemark, namesOf, notInRoom } from './not-in-room.js';
import { Prompt } from './prompt.js';
import { RoomFeed } from './room-feed.js';

export interface DialogueParts {
  api: Api;
  session: Session;
  conversation: Conversation;
  context: Context;
  debug: boolean;
}

/** Number of messages shown when a session is continued. */
const recent_messages = 6;

/** Runs a conversation on a terminal. */
export class Dialogue {
  readonly #parts: DialogueParts;
  readonly #prompt: Prompt;
  /** Sessions with work that waits for an approval. */
  readonly #waiting = new Set<string | undefined>();
  /** Follows the room that is open. */
  #feed: RoomFeed | undefined;
  /** Members of the room that was opened last. */
  #members: MentionableMembers | undefined;

  constructor(parts: DialogueParts) {
    this.#parts = parts;
    this.#prompt = new Prompt(parts.context.terminal, () => parts.context.interrupts.raise());
    this.#prompt.completeWith(lineCompleter(parts));
  }

  get api(): Api {
    return this.#parts.api;
  }

  get conversation(): Conversation {
    return this.#parts.conversation;
  }

  get terminal() {
    return this.#parts.context.terminal;
  }

  async run(): Promise<void> {
    const { signal } = this.#parts.context;
    // A signal from another process closes the prompt too.
    const ended = () => this.#prompt.close();
    signal.addEventListener('abort', ended, { once: true });
    try {
      await this.enter();
      this.say(':help lists what you can do here; Ctrl-D leaves');
      while (await this.#turn());
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', ended);
      await this.#leaveRoom();
      this.#prompt.close();
      if (this.#waiting.size > 0) this.#parts.session.abandon();
    }
  }

  /** Shows the last messages of the session, and the reply in progress. */
  async enter(): Promise<void> {
    const { session, name, isRoom } = this.conversation;
    await this.#leaveRoom();
    this.say(`This is ${cell(name)}`);
    if (session === undefined) return;
    if (isRoom) return this.#enterRoom(session);
    await this.#showRecent(session);
    if (session.active_task_id !== null) await this.show({ task_id: session.active_task_id });
  }

  /** Writes a line to standard error, behind `head`; continuation lines are indented by its width. */
  say(line: string, head = ''): void {
    remarkQuoted(line, this.terminal, head);
  }

  /** Asks for a line. */
  ask(question: string): Promise<string> {
    return this.#prompt.ask(question, this.#parts.context.signal);
  }

  async #enterRoom(session: SessionRecord): Promise<void> {
    const { api, session: connection, context } = this.#parts;
    const { id: session_id, topic } = session;
    if (topic !== '') this.say(cell(topic));
    const { id: member_id } = await api.call<{ id: number }>('auth.me', {});
    this.#feed = new RoomFeed({ api, session: connection, context, prompt: this.#prompt, session_id, member_id });
    const members = new MentionableMembers(() => api.call<Mentionable[]>('sessions.members', { session_id }));
    this.#members = members;
    const isOwner = session.role === 'owner';
    this.#prompt.completeWith(lineCompleter(this, async () => ({ members: await members.list(), isOwner })));
    await this.#feed.start(() => this.#showRecent(session));
    await api.call('unread.mark_read', { session_id });
  }

  async #leaveRoom(): Promise<void> {
    const feed = this.#feed;
    this.#feed = undefined;
    this.#members = undefined;
    this.#prompt.completeWith(lineCompleter(this));
    await feed?.stop();
  }

  async #showRecent({ id: session_id }: SessionRecord): Promise<ShownMessage[]> {
    const messages = await this.api.call<ShownMessage[]>('messages.list', { session_id, limit: recent_messages });
    const finished = messages.filter(({ status }) => status !== 'streaming' && status !== 'pending');
    for (const message of finished) this.terminal.stderr.write(await messageText(message, this.terminal));
    return finished;
  }

  async show(source: ReplySource): Promise<void> {
    const { api, session, context } = this.#parts;
    const view = await openStreamView(api.textOf('messages.stream'), context.terminal);
    const end = await new LiveReply(source, { api, session, context, prompt: this.#prompt, view }).show();
    const { session_id } = this.conversation;
    if (end === 'left') this.#waiting.add(session_id);
    else this.#waiting.delete(session_id);
    if (session_id !== undefined) await api.call('unread.mark_read', { session_id });
    if (end === 'left' && session.way === 'direct') this.say('No server is running: pending work stops when you leave');
  }

  /** Reads and handles one message or command; returns false after the last one. */
  async #turn(): Promise<boolean> {
    const text = await this.#read();
    if (text === undefined) {
      this.say('');
      return false;
    }
    try {
      const colonCommand = parseColonCommand(text);
      if (colonCommand !== undefined) return await this.#run(colonCommand);
      if (text.trim() !== '' || this.conversation.attachments.length > 0) await this.#send(text);
    } catch (fault) {
      if (!isFailure(fault) && !(fault instanceof UsageError)) throw fault;
      report(fault, this.terminal, { debug: this.#parts.debug });
    }
    return true;
  }

  /** Reads a message. In a room, Ctrl-C stops one's own tasks first. */
  async #read(): Promise<string | undefined> {
    for (;;) {
      try {
        return await this.#prompt.read();
      } catch (fault) {
        if (!(fault instanceof Interrupted) || !this.#feed?.hasTasks) throw fault;
        await this.#feed.stopTasks();
      }
    }
  }

  async #run({ command, rest }: { command: ColonCommand; rest: string }): Promise<boolean> {
    return (await command.run(this, rest)) !== 'leave';
  }

  async #send(text: string): Promise<void> {
    const message = await this.#prepare(text);
    if (this.#feed !== undefined) return this.#sendToRoom(message, this.#feed);
    const { message_id, task_id } = await this.conversation.send(message.content, this.#parts.context.signal, message.attached);
    if (task_id === null) this.say('Message sent; no AI employee answers in this conversation');
    else await this.show({ message_id });
  }

  #prepare(text: string): Promise<ReadyMessage> {
    return prepareMessage(text, {
      conversation: this.conversation,
      context: this.#parts.context,
      isMember: (name) => this.#isMember(name),
      ask: (question, signal) => this.#prompt.ask(question, signal),
      say: (line) => this.say(line),
    });
  }

  /** Returns whether a name is that of a member, of this room or another one. */
  async #isMember(name: string): Promise<boolean> {
    const isSame = (one: string) => one.toLowerCase() === name.toLowerCase();
    const here = (await this.#members?.list()) ?? [];
    if ((this.#feed !== undefined && isSame('room')) || here.some(({ username }) => isSame(username))) return true;
    const { items } = await this.api.call<{ items: unknown[] }>('members.list', { username: name, page_size: 1 });
    return items.length > 0;
  }

  /** Sends a message; the feed shows the answers while the person goes on writing. */
  async #sendToRoom({ content, attached }: ReadyMessage, feed: RoomFeed): Promise<void> {
    const { not_in_room } = await feed.send(() => this.conversation.send(content, this.#parts.context.signal, attached));
    if (not_in_room.length > 0) await this.#offerToAdd(not_in_room);
  }

  async #offerToAdd(absent: Sent['not_in_room']): Promise<void> {
    const { session_id } = this.conversation;
    const { role } = await this.api.call<SessionRecord>('sessions.get', { session_id });
    if (role !== 'owner') return this.say(notInRoom(absent));
    this.say(addableRemark(absent));
    const answer = await this.#prompt.ask(`Add ${namesOf(absent)} to this room? [y/n] `, this.#parts.context.signal);
    if (!isYes(answer)) return this.say('Nobody was added');
    await this.api.call('sessions.add_member', { session_id, member_ids: absent.map(({ member_id }) => member_id) });
    this.#members?.forget();
    this.say(`Added: ${namesOf(absent)}`);
  }
}
