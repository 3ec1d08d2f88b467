import { fail, invalidInput } from './codes.js';
import type { Message, Reaction, ReactionCount, Session } from './contract.js';
import { assertEmoji } from './emoji.js';
import type { Ports } from './ports.js';
import { type ReplyEvent, sessionTopic } from './replies/recorder.js';
import type { Stopper } from './replies/stopper.js';
import type { RoomAddressees } from './rooms/addressees.js';
import type { Change, ChangedRows } from './store/changes.js';
import type { StoredMessage } from './store/message-record.js';
import { previewOf, title_length } from './text.js';

interface ChangesParts {
  ports: Ports;
  rows: ChangedRows;
  stopper: Pick<Stopper, 'stop'>;
  addressees: Pick<RoomAddressees, 'of'>;
}

/** A message whose session is locked, and the time of its change. */
interface LockedMessage {
  stored: StoredMessage;
  session: Session;
  change: Change;
}

/** Edits and deletes messages, and replaces their text wherever it was stored. */
export class MessageChanges {
  readonly #parts: ChangesParts;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  /** Replaces the text of a message. Fails with `message_not_found`, `not_your_message`, `message_deleted` or `invalid_input`. */
  async edit({ message_id, content }: { message_id: string; content: string }, member_id: number): Promise<Message> {
    const { ports, rows } = this.#parts;
    return ports.db.transaction(async () => {
      const { stored, session, change } = await this.#lock(message_id, member_id);
      const { message } = stored;
      if (!isOwn(message, member_id)) throw notYours(message_id, 'edit');
      if (message.deleted_at !== null) throw fail('message_deleted', `Message ${message_id} was deleted`);
      if (content === '' && message.images.length + message.files.length === 0)
        throw invalidInput('content', "'content' may be empty only if the message has images or files");
      if (content === message.content) return message;
      // A mention that is edited in is shown, but notifies nobody.
      const mentions = session.target_type === 'room' ? (await this.#parts.addressees.of(session, content)).mentions : [];
      await rows.edit(change, content, mentions);
      if (session.target_type === 'room') await ports.rooms.removeMentions(message_id, mentions);
      const edited = { ...message, content, mentions, edited_at: change.now, updated_at: change.now };
      await this.#retitle(session, message, previewOf(edited, title_length));
      await this.#spread({ ...stored, message: edited }, session, change);
      const bytes = Buffer.byteLength(content) - Buffer.byteLength(message.content);
      await ports.usage.change(member_id, bytes);
      const [marked] = await ports.reactions.markMine([edited], member_id);
      return marked as Message;
    });
  }

  /**
   * Empties a message, which counts as read from then on. A task that still waits to answer it is stopped; a deleted message stays deleted.
   * Fails with `message_not_found`, `not_your_message` or `message_in_progress`.
   */
  async delete(message_id: string, member_id: number): Promise<void> {
    const { ports, rows } = this.#parts;
    const waiting = await ports.db.transaction(async () => {
      const { stored, session, change } = await this.#lock(message_id, member_id);
      const { message } = stored;
      if (!mayDelete(message, session, member_id)) throw notYours(message_id, 'delete');
      if (message.deleted_at !== null) return [];
      if (message.status === 'streaming')
        throw fail('message_in_progress', `Message ${message_id} is still being written; stop the reply before you delete it`);
      const bytes = await ports.usage.ofMessage(message_id);
      await this.#countAsRead(session, message);
      await rows.empty(change);
      await ports.reactions.clear(message_id);
      const emptied = { ...message, ...nothing, deleted_at: change.now, updated_at: change.now };
      if (session.target_type === 'room') await ports.rooms.removeMentions(message_id);
      await this.#retitle(session, message, '');
      await this.#spread({ ...stored, message: emptied }, session, change);
      if (message.images.length > 0) await ports.images.keepOnly(message.session_id, await rows.imagesOf(message.session_id));
      const freed = message.files.length > 0 ? await ports.files.forget({ message_id }) : undefined;
      if (message.role === 'user' && message.sender_id !== null) await ports.usage.change(message.sender_id, -bytes);
      if (freed) await ports.usage.free(freed);
      return waitingTasks(ports, message);
    });
    for (const id of waiting) await this.#parts.stopper.stop(id, 'aborted');
  }

  /** Adds or removes a reaction of the member. Fails with `message_not_found`, `message_deleted` or `too_many_reactions`. */
  async react(input: { message_id: string; emoji: string }, member_id: number, added: boolean): Promise<{ reactions: Reaction[] }> {
    assertEmoji(input.emoji);
    const { ports } = this.#parts;
    const { message_id, emoji } = input;
    return ports.db.transaction(async () => {
      const { stored, change } = await this.#lock(message_id, member_id);
      const { message } = stored;
      if (message.deleted_at !== null) throw fail('message_deleted', `Message ${message_id} was deleted`);
      const reaction = { message_id, emoji, member_id, session_id: message.session_id };
      const isThere = await ports.reactions.has(reaction);
      let counts: ReactionCount[] = message.reactions;
      if (isThere !== added) {
        if (added) assertReactionFits(message, emoji);
        counts = added ? await ports.reactions.add(reaction, change.now) : await ports.reactions.remove(reaction);
        ports.frames.reaction(await ports.sessions.participants(message.session_id), { ...reaction, added });
        ports.db.afterCommit(() => ports.track(this.#append(message, 'reaction', { member_id, emoji, added })));
      }
      const reactions = counts.map((count) => ({ ...count, mine: false }));
      const [marked] = await ports.reactions.markMine([{ ...message, reactions }], member_id);
      return { reactions: marked?.reactions ?? [] };
    });
  }

  /** Locks the session of a message that the member sees, so that changes and new messages take turns. */
  async #lock(message_id: string, member_id: number): Promise<LockedMessage> {
    const { messages, sessions, clock } = this.#parts.ports;
    const session_id = (await messages.find(message_id))?.message.session_id;
    const session = session_id === undefined ? undefined : await sessions.get(session_id, member_id);
    const now = session && (await sessions.nextTime(session.id, clock.now()));
    const stored = now === undefined ? undefined : await messages.find(message_id);
    if (!session || now === undefined || !stored) throw fail('message_not_found', `There is no message ${message_id} that you can see`);
    return { stored, session, change: { id: message_id, session_id: session.id, now } };
  }

  async #countAsRead({ target_type }: Session, message: Message): Promise<void> {
    const { positions, frames } = this.#parts.ports;
    if (target_type === 'room') await positions.withdrawInRoom(message);
    else frames.unread(message.session_id, await positions.withdraw(message));
  }

  /** Replaces the title of a session that a message has opened, because it is the beginning of the message. */
  async #retitle({ id, title, target_type }: Session, before: Message, now: string): Promise<void> {
    if (target_type !== 'room' && title === previewOf(before, title_length)) await this.#parts.rows.retitle(id, now);
  }

  /** Replaces the text in lists, tasks and the search index, and announces the change. */
  async #spread(stored: StoredMessage, { target_type }: Session, change: Change): Promise<void> {
    const { ports, rows } = this.#parts;
    const { db, sessions, membership, messages, frames, emit } = ports;
    const { message } = stored;
    const deleted = message.deleted_at !== null;
    const head = deleted ? '' : previewOf(message, 100);
    await rows.preview(change, { head, created_at: message.created_at });
    const room = target_type === 'room' ? await membership.of(message.session_id) : undefined;
    const members = room?.ids ?? (await sessions.participants(message.session_id));
    await messages.reindex(stored, room ?? { ids: members });
    await emit('chat.message_changed', { message_id: message.id, session_id: message.session_id, deleted, preview: head });
    if (deleted) frames.deleted(members, { session_id: message.session_id, message_id: message.id });
    else frames.updated(members, message);
    db.afterCommit(() => ports.track(this.#append(message, deleted ? 'message.deleted' : 'message.edited')));
  }

  /** Sends the change to the readers of the session. */
  async #append({ id: message_id, session_id, task_id }: Message, type: string, more: object = {}): Promise<void> {
    const { journal, log } = this.#parts.ports;
    const event: ReplyEvent = { type, data: { seq: 0, task_id, message_id, ...more } };
    await journal.append(sessionTopic(session_id), [event]).catch((fault: unknown) => {
      log.warn('Could not send a changed message to the readers of its session', { session_id, err: fault });
    });
  }
}

/** Content of a deleted message. */
const nothing = { content: '', images: [], files: [], tool_calls: [], mentions: [], reactions: [] };

/** Limit of different emoji on a message. */
const max_reactions = 20;

function assertReactionFits({ id, reactions }: Message, emoji: string): void {
  if (reactions.length < max_reactions || reactions.some((known) => known.emoji === emoji)) return;
  throw fail('too_many_reactions', `Message ${id} has ${max_reactions} different reactions; choose one of them`);
}

function isOwn({ role, sender_id }: Message, member_id: number): boolean {
  return role === 'user' && sender_id === member_id;
}

/**
 * Returns whether a member may delete a message: an own one, any in a room that the member owns, or a reply of an AI employee in a session
 * that the member opened.
 */
function mayDelete(message: Message, session: Session, member_id: number): boolean {
  if (isOwn(message, member_id)) return true;
  if (session.target_type === 'room') return session.role === 'owner';
  return message.role === 'assistant' && session.target_type === 'ai' && session.created_by === member_id;
}

/** Returns the tasks that wait to answer a message, the latest first: otherwise each stop would start the next one. */
async function waitingTasks({ tasks }: Ports, { id, task_id }: Message): Promise<string[]> {
  if (task_id === null) return [];
  const waiting = (await tasks.ofMessage(id)).filter(({ status }) => status === 'queued');
  return waiting.map((task) => task.id).reverse();
}

function notYours(message_id: string, verb: 'edit' | 'delete'): Error {
  return fail('not_your_message', `Message ${message_id} is not yours, so you can't ${verb} it`);
}
