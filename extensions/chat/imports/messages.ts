import type { Member } from '../../members/contract.js';
import { fail } from '../codes.js';
import type { ImportAnswer, ImportedMessage, MessageFile, ReactionCount } from '../contract.js';
import { isEmoji } from '../emoji.js';
import type { FileRow } from '../models.js';
import type { Advance, ImportedReaction, ImportedThread, ImportSession, ThreadRow } from '../store/imported-sql.js';
import type { StoredMessage } from '../store/message-record.js';
import type { NewMessage } from '../store/messages-sql.js';
import { previewOf, storable } from '../text.js';
import { uuidAt } from '../uuid.js';
import { FreeTimes } from './free-times.js';
import type { ImporterParts } from './importer.js';

/** Limit of different emoji on a message. */
const max_reactions = 20;
const deleted_member = 'Deleted member';

/** Place of a message. */
interface Place {
  session: ImportSession;
  thread: ThreadRow | undefined;
  reply_to: string | null;
}

/** A message and what is stored with it. */
interface Prepared {
  given: ImportedMessage;
  made: NewMessage;
  created_ms: number;
  session: ImportSession;
  reactions: readonly Pick<ImportedReaction, 'emoji' | 'member_id'>[];
}

/** Records that a portion refers to. */
interface Portion {
  /** Ids of messages that were imported before, by their ids in the export. */
  known: ReadonlyMap<string, string>;
  sessions: ReadonlyMap<string, ImportSession>;
  threads: Map<string, ThreadRow>;
  members: ReadonlyMap<number, Member>;
  files: ReadonlyMap<string, FileRow>;
}

/** Messages of exports, with their threads, reactions and files. Nobody is notified of them, and everybody has read them. */
export class ImportedMessages {
  readonly #parts: Pick<ImporterParts, 'ports' | 'members' | 'rows' | 'files'>;

  constructor(parts: Pick<ImporterParts, 'ports' | 'members' | 'rows' | 'files'>) {
    this.#parts = parts;
  }

  /** Stores messages within the current transaction. Fails with `file_not_found` if a file is gone. */
  async write(source: string, messages: readonly ImportedMessage[]): Promise<ImportAnswer['messages']> {
    if (messages.length === 0) return { created: 0, known: 0, left_out: 0 };
    const portion = await this.#read(source, messages);
    const seen = new Set(portion.known.keys());
    const fresh = messages.filter(({ id }) => !seen.has(id) && seen.add(id));
    const prepared = await this.#prepare(fresh, portion);
    if (prepared.length > 0) await this.#store(source, prepared, portion);
    const known = messages.length - fresh.length;
    return { created: prepared.length, known, left_out: fresh.length - prepared.length };
  }

  async #read(source: string, messages: readonly ImportedMessage[]): Promise<Portion> {
    const { rows, members, files } = this.#parts;
    const named = messages.flatMap(({ id, thread, reply_to }) => [id, ...(thread ? [thread] : []), ...(reply_to ? [reply_to] : [])]);
    const known = await rows.find(source, 'message', named);
    const rooms = await rows.find(
      source,
      'room',
      messages.map(({ room_id }) => room_id),
    );
    const locked = await rows.sessions([...new Set(rooms.values())].sort());
    const sessions = new Map([...rooms].flatMap(([id, target]) => (locked.has(target) ? [[id, locked.get(target) as ImportSession]] : [])));
    const roots = messages.flatMap(({ thread }) => (thread && known.get(thread)) || []);
    const people = messages.flatMap(({ sender_id, reactions }) => [sender_id ?? 0, ...reactions.flatMap(({ member_ids }) => member_ids)]);
    const found = await members.byIds([...new Set(people)]);
    return {
      known,
      sessions: sessions as Map<string, ImportSession>,
      threads: await rows.threads([...new Set(roots)]),
      members: new Map(found.map((member) => [member.id, member])),
      files: await files.unsentByIds(messages.flatMap((message) => message.files)),
    };
  }

  /** Gives messages their ids, times and places. Leaves out those whose room is missing. */
  async #prepare(messages: readonly ImportedMessage[], portion: Portion): Promise<Prepared[]> {
    const times = new FreeTimes(this.#parts.rows);
    const made = new Map<string, string>();
    const prepared: Prepared[] = [];
    for (const given of messages) {
      const session = portion.sessions.get(given.room_id);
      if (!session) continue;
      const place = { session, ...placeOf(given, session, { made, portion }) };
      const after = place.thread ? Date.parse(place.thread.created_at) : 0;
      const created_ms = await times.take(session.id, Math.max(given.created_ms, after + 1));
      const message = this.#message(given, { place, created_ms, portion });
      made.set(given.id, message.id);
      const { id, session_id, created_at } = message;
      portion.threads.set(id, { id, session_id, created_at, thread_id: message.thread_id ?? null });
      prepared.push({ given, made: message, created_ms, session, reactions: reactionsOf(given, portion.members) });
    }
    return prepared;
  }

  #message(given: ImportedMessage, { place, created_ms, portion }: { place: Place; created_ms: number; portion: Portion }): NewMessage {
    const sender = given.sender_id === null ? undefined : portion.members.get(given.sender_id);
    const missing = given.sender_id === null ? given.sender_name : deleted_member;
    return {
      id: uuidAt(created_ms),
      session_id: place.session.id,
      role: given.role,
      sender_id: sender?.id ?? null,
      sender_name: sender?.nickname ?? missing,
      content: storable(given.content),
      files: given.files.map((id) => recordOf(id, portion.files)),
      reply_to: place.reply_to,
      thread_id: place.thread?.id ?? null,
      task_id: null,
      status: 'completed',
      seq: 1,
      created_at: new Date(created_ms).toISOString(),
    };
  }

  async #store(source: string, prepared: readonly Prepared[], portion: Portion): Promise<void> {
    const { ports, rows } = this.#parts;
    const { messages, reactions } = { messages: ports.messages, reactions: prepared.flatMap(rowsOfReactions) };
    const stored = await messages.insertAll(prepared.map(({ made }) => made));
    await this.#complete(prepared);
    await rows.addReactions(reactions);
    for (const { made } of prepared) await ports.files.attachImported(made.files ?? [], made);
    for (const advance of advancesOf(prepared)) await rows.advance(advance);
    for (const thread of threadsOf(prepared)) await rows.follow(thread);
    await messages.index(await this.#indexed(stored));
    await rows.add(source, 'message', new Map(prepared.map(({ given, made }) => [given.id, made.id])));
    await this.#count(prepared, portion);
  }

  /** Numbers the messages of rooms, and sets their edits and reactions. */
  async #complete(prepared: readonly Prepared[]): Promise<void> {
    const counts = new Map<string, number>();
    const fields = prepared.flatMap(({ given, made, session, reactions }) => {
      const isRoom = session.target_type === 'room';
      const count = (counts.get(session.id) ?? session.message_count) + (made.thread_id === null ? 1 : 0);
      counts.set(session.id, count);
      const edited_at = given.edited_ms === null ? null : new Date(given.edited_ms).toISOString();
      if (!isRoom && edited_at === null && reactions.length === 0) return [];
      return [{ id: made.id, ordinal: isRoom ? count : 0, edited_at, reactions: countsOf(reactions) }];
    });
    await this.#parts.rows.complete(fields);
  }

  async #indexed(stored: readonly StoredMessage[]) {
    const { membership, sessions } = this.#parts.ports;
    const readers = new Map<string, { ids: readonly number[]; room_no?: number }>();
    for (const id of new Set(stored.map(({ message }) => message.session_id))) {
      const room = await membership.of(id);
      readers.set(id, room.room_no === 0 ? { ids: await sessions.participants(id) } : room);
    }
    return stored.map((one) => ({ stored: one, readers: readers.get(one.message.session_id) ?? { ids: [] } }));
  }

  /** Counts texts and files for their senders, last in the transaction and in the order of ids. Files of others were counted for nobody. */
  async #count(prepared: readonly Prepared[], { members }: Portion): Promise<void> {
    const bytes = new Map<number, number>();
    for (const { made } of prepared) {
      if (made.sender_id === null || !members.has(made.sender_id)) continue;
      const files = (made.files ?? []).reduce((sum, file) => sum + file.bytes, 0);
      bytes.set(made.sender_id, (bytes.get(made.sender_id) ?? 0) + Buffer.byteLength(made.content) + files);
    }
    for (const [id, more] of [...bytes].sort(([one], [other]) => one - other)) await this.#parts.ports.usage.change(id, more);
  }
}

/** Returns the thread of a message and the message that it answers, if they are in its session. */
function placeOf(
  { thread, reply_to }: ImportedMessage,
  session: ImportSession,
  { made, portion }: { made: ReadonlyMap<string, string>; portion: Portion },
): Omit<Place, 'session'> {
  const idOf = (id: string | null) => (id === null ? undefined : (made.get(id) ?? portion.known.get(id)));
  const named = portion.threads.get(idOf(thread) ?? '');
  const root = named?.thread_id ? portion.threads.get(named.thread_id) : named;
  return { thread: root?.session_id === session.id ? root : undefined, reply_to: idOf(reply_to) ?? null };
}

/** Returns the reactions of members, each once: emoji that can be stored, at most {@link max_reactions} different ones. */
function reactionsOf({ reactions }: ImportedMessage, members: ReadonlyMap<number, Member>): Prepared['reactions'] {
  const found = new Map<string, Set<number>>();
  for (const { emoji, member_ids } of reactions) {
    const present = member_ids.filter((id) => members.has(id));
    if (!isEmoji(emoji) || present.length === 0 || (found.size === max_reactions && !found.has(emoji))) continue;
    found.set(emoji, new Set([...(found.get(emoji) ?? []), ...present]));
  }
  return [...found].flatMap(([emoji, ids]) => [...ids].map((member_id) => ({ emoji, member_id })));
}

function countsOf(reactions: Prepared['reactions']): ReactionCount[] {
  const counts = new Map<string, number>();
  for (const { emoji } of reactions) counts.set(emoji, (counts.get(emoji) ?? 0) + 1);
  return [...counts].map(([emoji, count]) => ({ emoji, count }));
}

function rowsOfReactions({ made, reactions }: Prepared): ImportedReaction[] {
  const { id: message_id, session_id, created_at } = made;
  return reactions.map((reaction) => ({ message_id, session_id, created_at, ...reaction }));
}

/** Returns what each session gets. */
function advancesOf(prepared: readonly Prepared[]): Advance[] {
  const advances = new Map<string, Advance>();
  for (const { made, created_ms, session } of prepared) {
    const roots = (advances.get(session.id)?.roots ?? 0) + (made.thread_id === null ? 1 : 0);
    const before = advances.get(session.id);
    const preview = previewOf({ content: made.content, images: [], files: made.files ?? [] }, 100);
    const last = { last_at: made.created_at, last_ms: created_ms, preview };
    const latest = before && before.last_ms > created_ms ? before : last;
    advances.set(session.id, { ...latest, session_id: session.id, is_room: session.target_type === 'room', roots });
  }
  return [...advances.values()];
}

/** Returns the threads of rooms that get replies. */
function threadsOf(prepared: readonly Prepared[]): ImportedThread[] {
  const threads = new Map<string, ImportedThread & { writers: number[] }>();
  for (const { made, session } of prepared) {
    const root_id = made.thread_id ?? null;
    if (root_id === null || session.target_type !== 'room') continue;
    const thread = threads.get(root_id) ?? { root_id, session_id: session.id, replies: 0, writers: [] };
    const isNew = made.sender_id !== null && !thread.writers.includes(made.sender_id);
    const writers = isNew ? [...thread.writers, made.sender_id as number] : thread.writers;
    threads.set(root_id, { ...thread, replies: thread.replies + 1, writers });
  }
  return [...threads.values()];
}

function recordOf(id: string, files: Portion['files']): MessageFile {
  const file = files.get(id);
  if (!file) throw fail('file_not_found', `There is no file ${id} for an import; upload it again`);
  return { id, name: file.name, mime_type: file.mime_type, bytes: file.bytes, sha256: file.hash };
}
