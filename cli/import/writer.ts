import { toLabel } from '../../kernel/contract/label.js';
import { leafOf } from '../catalog.js';
import type { Progress } from '../progress.js';
import type { Session } from '../session.js';
import { callIn } from '../within-session.js';
import { boundedId, idOf } from './ids.js';
import type { Remarks } from './remarks.js';
import { MessageSplitter } from './splitter.js';
import type { Export, ExportedFile, ExportedMessage, ExportedPerson, ExportedRoom } from './types.js';

/** Numbers of records of one kind. `known`: imported before. `matched`: people who were members already. */
export interface Counts {
  created: number;
  known: number;
  matched?: number;
  left_out: number;
}

export interface Written {
  members: Counts;
  rooms: Counts;
  messages: Counts;
  reactions: number;
  files: Counts;
}

/** Answer for a person or a room. */
interface State {
  id: string;
  state: 'created' | 'matched' | 'known' | 'gone';
}
type PersonState = State & { member_id: number | null; username: string };
type RoomState = State & { session_id: string | null };

interface WriterParts {
  session: Session;
  signal: AbortSignal;
  source: string;
  /** Whether to find out only what would be written. */
  dry_run: boolean;
  remarks: Remarks;
  progress: Progress;
}

const people_at_once = 200;
const rooms_at_once = 50;
const messages_at_once = 200;
/** Limit of the text of a portion, in UTF-16 units. */
const text_at_once = 4_000_000;
const max_members = 5_000;
const deleted_member = 'Deleted member';

/** Sends an export to the platform in portions. Each is stored whole or not at all, so a repeated import completes an interrupted one. */
export class ImportWriter {
  readonly #parts: WriterParts;
  readonly #people = new Map<string, PersonState>();
  readonly #rooms = new Map<string, RoomState>();
  readonly #splitter: MessageSplitter;
  readonly #written: Written = {
    members: { created: 0, matched: 0, known: 0, left_out: 0 },
    rooms: { created: 0, known: 0, left_out: 0 },
    messages: { created: 0, known: 0, left_out: 0 },
    reactions: 0,
    files: { created: 0, known: 0, left_out: 0 },
  };

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#splitter = new MessageSplitter(parts.remarks);
  }

  async write(found: Export): Promise<Written> {
    await this.#writePeople(found.people);
    await this.#writeRooms(found.rooms);
    const usernameOf = (person: string) => this.#people.get(person)?.username;
    let [portion, length, read]: [ExportedMessage[], number, number] = [[], 0, 0];
    for await (const message of found.messages(usernameOf)) {
      this.#parts.signal.throwIfAborted();
      read += 1;
      this.#parts.progress.at(read, Math.max(read, found.count));
      if (!this.#isTaken(message)) continue;
      for (const part of this.#splitter.parts(message)) {
        portion.push(part);
        length += part.text.length;
        if (portion.length < messages_at_once && length < text_at_once) continue;
        await this.#writeMessages(portion);
        [portion, length] = [[], 0];
      }
    }
    if (portion.length > 0) await this.#writeMessages(portion);
    return this.#written;
  }

  /** Returns which of the people are members. */
  async findPeople(people: readonly ExportedPerson[]): Promise<PersonState[]> {
    const states: PersonState[] = [];
    for (let start = 0; start < people.length; start += people_at_once) {
      const some = people.slice(start, start + people_at_once).map(bounded);
      states.push(...(await this.#call<{ people: PersonState[] }>('imports.find', { people: some })).people);
    }
    return states;
  }

  async #writePeople(people: readonly ExportedPerson[]): Promise<void> {
    const { dry_run, remarks } = this.#parts;
    for (let start = 0; start < people.length; start += people_at_once) {
      const some = people.slice(start, start + people_at_once);
      const input = { people: some.map(bounded) };
      const answer = await this.#call<{ people: PersonState[] }>(dry_run ? 'imports.find' : 'imports.write', input);
      for (const [at, state] of answer.people.entries()) {
        const person = some[at] as ExportedPerson;
        this.#people.set(person.id, state);
        this.#count(this.#written.members, state);
        if (state.state === 'gone')
          remarks.add('members were imported before and deleted since; they were not made again', person.username);
        else if (state.state === 'created' && state.username !== person.username)
          remarks.add('members got another user name than they had', `${person.username} → ${state.username}`);
      }
    }
  }

  async #writeRooms(rooms: readonly ExportedRoom[]): Promise<void> {
    const { dry_run, remarks } = this.#parts;
    const taken = rooms.flatMap((room) => this.#withMembers(room) ?? []);
    this.#written.rooms.left_out += rooms.length - taken.length;
    for (let start = 0; start < taken.length; start += rooms_at_once) {
      const some = taken.slice(start, start + rooms_at_once);
      const input = { rooms: dry_run ? some.map(({ id }) => id) : some };
      const answer = await this.#call<{ rooms: RoomState[] }>(dry_run ? 'imports.find' : 'imports.write', input);
      for (const [at, state] of answer.rooms.entries()) {
        const room = some[at] as (typeof some)[number];
        this.#rooms.set(room.id, state);
        this.#count(this.#written.rooms, state);
        if (state.state === 'gone') remarks.add('rooms were imported before and deleted since; they were not made again', room.title);
      }
    }
  }

  /** Returns a room with those of its members who exist; undefined if nobody could ever read it. */
  #withMembers(room: ExportedRoom) {
    const { remarks, dry_run } = this.#parts;
    const present = room.members.filter(({ person }) => this.#isMember(person));
    if (present.length === 0 && room.visibility !== 'open') return remarks.add('private rooms without members were left out', room.title);
    if (present.length === 0) remarks.add('public rooms without members stay until somebody joins them', room.title);
    if (present.length > max_members) remarks.add('rooms had more than 5,000 members; the others can join or be added', room.title);
    // A conversation whose other person is gone becomes a room of the one who is left.
    const kind = room.kind === 'pair' && present.length < 2 ? 'room' : room.kind;
    const title = room.title || (kind === 'room' ? deleted_member : '');
    const members = dry_run
      ? []
      : present.slice(0, max_members).map(({ person, owner }) => ({ member_id: this.#idOf(person) as number, owner }));
    const { id, topic, visibility, created_ms } = room;
    return {
      id,
      kind,
      title: title.slice(0, 1_000).toWellFormed(),
      topic: topic.slice(0, 1_000).toWellFormed(),
      visibility,
      created_ms,
      members,
    };
  }

  /** Returns whether a message has a room; counts it otherwise. */
  #isTaken({ room }: ExportedMessage): boolean {
    const state = this.#rooms.get(room)?.state;
    if (state !== undefined && state !== 'gone') return true;
    this.#written.messages.left_out += 1;
    return false;
  }

  async #writeMessages(portion: readonly ExportedMessage[]): Promise<void> {
    const { messages } = this.#written;
    const ids = portion.map(({ id }) => boundedId(id));
    const known = new Set((await this.#call<{ messages: string[] }>('imports.find', { messages: ids })).messages);
    const fresh = portion.filter(({ id }) => !known.has(boundedId(id)));
    messages.known += portion.length - fresh.length;
    const input: object[] = [];
    for (const message of fresh) input.push(await this.#inputOf(message));
    if (this.#parts.dry_run) messages.created += fresh.length;
    else if (input.length > 0) {
      const answer = await this.#call<{ messages: Omit<Counts, 'matched'> }>('imports.write', { messages: input });
      messages.created += answer.messages.created;
      messages.known += answer.messages.known;
      messages.left_out += answer.messages.left_out;
    }
  }

  async #inputOf(message: ExportedMessage): Promise<object> {
    const { room, role, person, name = deleted_member, created_ms, edited_ms = null, thread, reply_to } = message;
    const reactions = message.reactions.flatMap(({ emoji, people }) => {
      const member_ids = people.flatMap((one) => this.#idOf(one) ?? []);
      return people.some((one) => this.#isMember(one)) ? [{ emoji, member_ids }] : [];
    });
    this.#written.reactions += message.reactions.reduce((sum, { people }) => sum + people.filter((one) => this.#isMember(one)).length, 0);
    const { ids, notes } = await this.#files(message.files);
    return {
      id: boundedId(message.id),
      room_id: room,
      role,
      sender_id: person === undefined ? null : (this.#idOf(person) ?? null),
      sender_name: toLabel(person === undefined ? name : deleted_member, 64) || deleted_member,
      content: [message.text, ...notes].filter((text) => text !== '').join('\n'),
      created_ms,
      edited_ms,
      thread: thread === undefined ? null : boundedId(thread),
      reply_to: reply_to === undefined ? null : boundedId(reply_to),
      reactions: reactions.slice(0, 100),
      files: ids,
    };
  }

  /** Uploads files. Returns a line for each that can't be imported. */
  async #files(files: readonly ExportedFile[]): Promise<{ ids: string[]; notes: string[] }> {
    const ids: string[] = [];
    const notes: string[] = [];
    for (const file of files) {
      const size = await file.size();
      if (typeof size === 'string') {
        this.#written.files.left_out += 1;
        this.#parts.remarks.add('files were left out; a line in the message names each', `${file.name}: ${size}`);
        notes.push(`[File not imported: ${file.name.slice(0, 200).toWellFormed()} (${size})]`);
        continue;
      }
      this.#written.files.created += 1;
      if (this.#parts.dry_run) continue;
      const { signal, session } = this.#parts;
      const input = { file: { name: file.name, bytes: await file.bytes() } };
      const { body } = await callIn(session, leafOf('imports.file'), { input, signal });
      ids.push((body as { id: string }).id);
    }
    return { ids, notes };
  }

  #isMember(person: string): boolean {
    const state = this.#people.get(person)?.state;
    return state !== undefined && state !== 'gone';
  }

  #idOf(person: string): number | undefined {
    return this.#people.get(person)?.member_id ?? undefined;
  }

  #count(counts: Counts, { state }: State): void {
    if (state === 'gone') counts.left_out += 1;
    else if (state === 'matched') counts.matched = (counts.matched ?? 0) + 1;
    else counts[state] += 1;
  }

  async #call<Answer>(id: 'imports.find' | 'imports.write', input: object): Promise<Answer> {
    const { session, signal, source } = this.#parts;
    return (await callIn(session, leafOf(id), { input: { source, ...input }, signal })).body as Answer;
  }
}

/** Returns a person as the platform takes it. It stores the ids for good, so they are hashed: some are names. */
function bounded({ id, username, nickname }: ExportedPerson): ExportedPerson {
  return { id: idOf('person', id), username: username.slice(0, 1_000).toWellFormed(), nickname: nickname.slice(0, 1_000).toWellFormed() };
}
