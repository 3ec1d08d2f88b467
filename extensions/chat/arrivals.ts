import type { Image, Mention, MessageFile, Session } from './contract.js';
import type { Ports } from './ports.js';
import { type ReplyEvent, sessionTopic } from './replies/recorder.js';
import type { Upload } from './store/usage-sql.js';
import { showRoot, type ThreadPlace } from './threads.js';

const noPlace: ThreadPlace = { reply_to: null, thread_id: null };

/** A message sent by a person. */
export interface Arrival {
  id: string;
  session: Session;
  task_id: string | null;
  content: string;
  images?: readonly Image[];
  files?: readonly MessageFile[];
  mentions?: readonly Mention[];
  /** The images, for which quota is reserved. */
  upload?: Upload | undefined;
  /** Preview for lists. */
  head: string;
  created_at: string;
  sender_id: number;
  sender_name: string;
  place?: ThreadPlace;
}

/** Stores people's messages in their sessions. */
export class Arrivals {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Stores a message within the current transaction. Members see it after the commit. */
  async add({ session, head, upload, place = noPlace, ...given }: Arrival): Promise<void> {
    const { db, sessions, messages, membership, frames, typing, track, readBy, usage } = this.#ports;
    const { created_at, sender_id } = given;
    const whole = { session_id: session.id, ...place, role: 'user', status: 'completed', seq: 1 } as const;
    const stored = await messages.insert({ ...given, ...whole, image_bytes: upload?.bytes ?? 0 });
    const { thread_id } = stored.message;
    const in_room = session.target_type === 'room' ? { message_id: given.id, in_thread: thread_id !== null } : undefined;
    const arrived = await sessions.arrived([{ session_id: session.id, preview: head, created_at, sender_id, in_room }], created_at);
    const unread = arrived.get(session.id) ?? [];
    const room = in_room && (await membership.of(session.id));
    const members = room?.ids ?? unread.map(({ member_id }) => member_id);
    await messages.index([{ stored, readers: room ?? { ids: members } }]);
    if (in_room) await this.#readInRoom(session, { ...given, thread_id });
    frames.created(members, stored.message);
    await showRoot(this.#ports, thread_id, members);
    if (in_room && session.unread_count > 0) unread.push({ member_id: sender_id, unread_count: 0 });
    frames.unread(
      session.id,
      unread.filter(({ member_id }) => member_id !== sender_id || session.unread_count > 0),
    );
    if (upload) await usage.confirm(upload);
    await usage.addText(sender_id, given.content);
    db.afterCommit(() => {
      typing.stop({ session_id: session.id, member_id: sender_id });
      if (session.unread_count > 0) track(readBy({ session_id: session.id, member_id: sender_id }));
    });
  }

  /** Lets people follow the message's thread. The sender has read everything in the room: members who have unread messages cost two more rows. */
  async #readInRoom(
    { id, unread_count, mention_count }: Session,
    { sender_id, thread_id, mentions = [] }: Pick<Arrival, 'sender_id' | 'mentions'> & Pick<ThreadPlace, 'thread_id'>,
  ): Promise<void> {
    const { positions, followers } = this.#ports;
    if (thread_id !== null) {
      const mentioned = mentions.flatMap((mention) => mention.member_id ?? []);
      await followers.add({ root_id: thread_id, session_id: id }, { writer: sender_id, mentioned });
    }
    if (unread_count + mention_count === 0) return;
    await positions.markRead(id, sender_id);
    await followers.markRead(id, sender_id);
  }

  /** Sends a message to the readers of its session. Call it after the commit. */
  async show({ message_id, session_id, task_id }: { message_id: string; session_id: string; task_id: string | null }): Promise<void> {
    const { journal, log } = this.#ports;
    const arrived: ReplyEvent = { type: 'message.completed', data: { seq: 1, task_id, message_id } };
    await journal.append(sessionTopic(session_id), [arrived]).catch((fault: unknown) => {
      log.warn('Could not send a message to the readers of its session', { session_id, err: fault });
    });
  }
}
