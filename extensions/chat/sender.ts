import type { SecondStep } from '../../kernel/contract/index.js';
import type { Arrivals } from './arrivals.js';
import { fail, invalidInput } from './codes.js';
import type { Asker, ImageInput, MessageFile, NewSession, SendInput, Sent, Session, Task } from './contract.js';
import { latestConversation } from './conversations.js';
import type { StoredImage } from './images/images.js';
import { emitMentions } from './mentions.js';
import type { Ports } from './ports.js';
import { whoIsAway } from './replies/outcome.js';
import type { TaskQueue } from './replies/queue.js';
import { notThere } from './replies/readers.js';
import type { Addressed, RoomAddressees } from './rooms/addressees.js';
import { emitRoomMessage } from './rooms/room-messages.js';
import type { Rooms } from './rooms/rooms.js';
import type { Upload } from './store/usage-sql.js';
import type { Partner, Target, Targets } from './targets.js';
import { previewOf, title_length } from './text.js';
import { assertSession, placeOf } from './threads.js';

interface SenderParts {
  ports: Ports;
  targets: Targets;
  addressees: RoomAddressees;
  rooms: Rooms;
  arrivals: Arrivals;
  queue: TaskQueue;
}

/** A message whose images and files are stored. */
type Incoming = Omit<SendInput, 'images' | 'files'> & { images: readonly StoredImage[]; files: readonly MessageFile[] };

interface Sending {
  input: Incoming;
  upload: Upload | undefined;
  /** People of the session who don't read it now. */
  away: readonly number[];
  session: Session;
  /** AI employees that answer. */
  targets: readonly Target[];
  /** Set for a message in a room. */
  addressed: Addressed | undefined;
  sender_name: string;
  asker: Asker;
}

/** Opens sessions and stores sent messages. */
export class Sender {
  readonly #ports: Ports;
  readonly #targets: Targets;
  readonly #addressees: RoomAddressees;
  readonly #rooms: Rooms;
  readonly #arrivals: Arrivals;
  readonly #queue: TaskQueue;

  constructor({ ports, targets, addressees, rooms, arrivals, queue }: SenderParts) {
    this.#ports = ports;
    this.#targets = targets;
    this.#addressees = addressees;
    this.#rooms = rooms;
    this.#arrivals = arrivals;
    this.#queue = queue;
  }

  /** Opens a session. Fails with `invalid_input` if the partner doesn't exist or is of another kind. */
  async open({ title, target_type, target_id: given }: NewSession, asker: Asker): Promise<Session> {
    const target_id = String(given);
    const { db, sessions, pairs, newId, clock } = this.#ports;
    const { member_id } = asker;
    return db.transaction(async () => {
      const partner = await this.#targets.check({ target_type, target_id }, member_id);
      const id = newId();
      const session = await sessions.create({ id, title, target_type, target_id, partner, created_by: member_id, now: clock.iso() });
      const contact = await this.#targets.contact({ target_type, target_id });
      if (contact !== undefined) await pairs.add([member_id, contact], id);
      return session;
    });
  }

  /** Opens a session with a person's title, in which mentions are reported, or a room. */
  async create(input: NewSession, asker: Asker): Promise<Session> {
    if (input.target_type === 'room') {
      if (input.target_id !== '') throw invalidInput('target_id', "A room has no 'target_id'");
      return this.#rooms.create(input, asker);
    }
    if (input.member_ids?.length || input.visibility === 'open')
      throw invalidInput('target_type', "Only a session with the target type 'room' has members and a visibility");
    return this.#ports.db.transaction(async () => {
      const session = await this.open(input, asker);
      const place = { session_id: session.id, message_id: null, task_id: null, sender_id: asker.member_id };
      await emitMentions(this.#ports, { ...place, text: input.title });
      return session;
    });
  }

  /**
   * Prepares a message and fetches its images, outside of a transaction because other writers would wait for it. Returns a function that
   * sends the message. The first step fails with `session_not_found`, `file_not_found`, `no_ai_employee`, `extension_unavailable`,
   * `quota_exceeded`, and as {@link open} and reading images do; the second with `session_not_found` or `file_not_found` (deleted since),
   * `session_busy`, `too_many_tasks` or `quota_exceeded`. If the default AI employee is deleted in between, the reply fails with `no_ai_employee`.
   */
  async prepare({ images: given = [], files: file_ids = [], ...input }: SendInput, asker: Asker): Promise<SecondStep<Sent>> {
    if (input.content === '' && given.length + file_ids.length === 0) throw empty();
    assertSession(input);
    const { session_id, target_type = 'ai', target_id = '' } = input;
    const session = session_id ? await this.#session(session_id, asker) : undefined;
    const partner = session ?? { target_type, target_id: String(target_id) };
    if (!session) await this.#targets.check(partner, asker.member_id);
    const addressed = session?.target_type === 'room' ? await this.#addressees.of(session, input.content, input.reply_to) : undefined;
    const { target, sender_name } = await this.#targets.sides(partner, asker.member_id);
    const place = session ?? (await this.#known(partner, input, asker));
    const away = addressed ? [] : await this.#missing(othersOf(partner, session, asker), place?.id);
    const files = await this.#ports.files.ofSender(file_ids, asker.member_id);
    const { images, upload } = await this.#take(given, asker);
    const targets = addressed?.targets ?? (target ? [target] : []);
    const sending = { input: { ...input, images, files }, upload, targets, addressed, asker, away };
    const send = () =>
      this.#ports.db.transaction(async () => {
        if (session) return this.#store({ ...sending, session, sender_name });
        const known = await this.#known(partner, input, asker);
        if (known) return this.#store({ ...sending, session: known, sender_name });
        const opened = await this.open({ title: headOf(sending.input, title_length), ...partner }, asker);
        // Looks the sender up again: a member deleted since must not open a session.
        return this.#store({ ...sending, session: opened, sender_name: await this.#targets.nameOf(asker.member_id) });
      });
    return Object.assign(send, { unneeded: () => this.#giveBack(upload) });
  }

  /** Returns those of the people in a conversation of two who are away and want to be notified. */
  async #missing(people: readonly number[], session_id: string | undefined): Promise<readonly number[]> {
    const { rooms, clock } = this.#ports;
    const ids = [...(await whoIsAway(this.#ports, people, session_id))];
    if (ids.length === 0 || session_id === undefined) return ids;
    return rooms.notified(session_id, { ids, now: clock.iso() });
  }

  /** Stores images. Fails with `quota_exceeded` before any is stored. */
  async #take(inputs: readonly ImageInput[], { member_id }: Asker): Promise<{ images: StoredImage[]; upload: Upload | undefined }> {
    const { images, usage } = this.#ports;
    const uploads: Upload[] = [];
    const admit = async (read: readonly Uint8Array[]) => void uploads.push(await usage.reserve(member_id, read));
    try {
      return { images: await images.take(inputs, admit), upload: uploads[0] };
    } catch (fault) {
      await this.#giveBack(uploads[0]);
      throw fault;
    }
  }

  async #giveBack(upload: Upload | undefined): Promise<void> {
    // If this fails, the cleaner releases the quota later.
    if (upload) await this.#ports.usage.cancel(upload).catch(() => undefined);
  }

  /** Finds the conversation that a message without a session belongs to; undefined if it opens one. */
  async #known({ target_type, target_id }: Partner, input: Pick<SendInput, 'new'>, { member_id }: Asker): Promise<Session | undefined> {
    if (input.new || target_type !== 'member') return undefined;
    return latestConversation(this.#ports, { member_id, partner_id: Number(target_id) });
  }

  async #session(id: string, asker: Asker): Promise<Session> {
    const session = await this.#ports.sessions.get(id, asker.member_id);
    if (!session) throw notThere(id);
    return session;
  }

  async #store(sending: Sending): Promise<Sent> {
    const { input, upload, session: known, targets, addressed, sender_name, asker } = sending;
    const head = headOf(input, 100);
    const { db, sessions, images, files, clock, newId } = this.#ports;
    const { member_id: sender_id } = asker;
    const turn = await sessions.nextTurn(sender_id, known.id, clock.now());
    if (!turn) throw fail('session_not_found', `Session ${known.id} no longer exists`);
    const { created_at } = turn;
    const session = addressed ? known : { ...known, unread_count: turn.unread_count };
    const place = await placeOf(this.#ports, session.id, input);
    const task_ids = targets.map(() => newId());
    const task_id = task_ids[0] ?? null;
    const sent: Sent = { message_id: newId(), session_id: session.id, task_id, task_ids, not_in_room: addressed?.not_in_room ?? [] };
    const tasks: Task[] = [];
    const { message_id: id } = sent;
    for (const [at, target] of targets.entries())
      tasks.push(
        await this.#queue.add({ message_id: id, task_id: task_ids[at] as string, target, session, asker, title: head, created_at }),
      );
    await images.keep(session.id, input.images);
    await files.attach(input.files, sender_id, { message_id: id, session_id: session.id });
    await this.#arrivals.add({
      id,
      session,
      task_id,
      content: input.content,
      images: input.images.map(({ image }) => image),
      files: input.files,
      mentions: addressed?.mentions ?? [],
      upload,
      head,
      created_at,
      sender_id,
      sender_name,
      place,
    });
    for (const task of tasks) this.#ports.frames.task(task);
    await this.#emit(sending, { session, sent, preview: head, created_at });
    db.afterCommit(() => this.#ports.track(this.#arrivals.show(sent).then(() => this.#queue.begin(tasks))));
    return sent;
  }

  /** Emits the events of a sent message: for those who missed it, of mentions, and of a message in a room. */
  async #emit(
    { input, addressed, sender_name, asker: { member_id: sender_id }, away }: Sending,
    { session, sent, preview, created_at }: { session: Session; sent: Sent; preview: string; created_at: string },
  ): Promise<void> {
    const { message_id, session_id, task_id } = sent;
    const written = { session_id, sender_id, sender_name, preview };
    if (away.length > 0) await this.#ports.emit('chat.message_missed', { ...written, message_id, to: [...away] });
    if (addressed) await emitRoomMessage(this.#ports, addressed, { ...written, id: message_id, title: session.title, created_at });
    if (session.target_type === 'ai') await emitMentions(this.#ports, { session_id, message_id, task_id, sender_id, text: input.content });
  }
}

/** Returns the other person of a session, if any. AI employees and plugins' own members don't read notifications. */
function othersOf({ target_type, target_id }: Partner, session: Session | undefined, { member_id }: Asker): number[] {
  const people = [session?.created_by ?? member_id, ...(target_type === 'member' ? [Number(target_id)] : [])];
  return [...new Set(people)].filter((id) => id !== member_id);
}

function headOf({ images, ...incoming }: Incoming, length: number): string {
  return previewOf({ ...incoming, images: images.map(({ image }) => image) }, length);
}

function empty(): Error {
  return invalidInput('content', "'content' may be empty only with images or files");
}
