import { fail as failCore, type SecondStep } from '../../kernel/contract/index.js';
import type { Arrivals } from './arrivals.js';
import { fail } from './codes.js';
import type { Asker, ImageInput, SendInput, Sent, Session, Task } from './contract.js';
import { latestConversation } from './conversations.js';
import type { StoredImage } from './images/images.js';
import { emitMentions } from './mentions.js';
import type { Ports } from './ports.js';
import { whoIsAway } from './replies/outcome.js';
import type { Placer } from './replies/placer.js';
import { append, type ReplyEvent } from './replies/recorder.js';
import type { ReplyWorker } from './replies/work.js';
import type { Upload } from './store/usage-sql.js';
import type { Partner, Target, Targets } from './targets.js';
import { startOf } from './text.js';
import { assertSession, placeOf } from './threads.js';

/** Limit of messages of a session that wait for their task. */
const max_waiting = 20;
/** Limit of waiting and running tasks of a member, in all its sessions. */
const max_open = 2_000;

interface SenderParts {
  ports: Ports;
  targets: Targets;
  arrivals: Arrivals;
  worker: ReplyWorker;
  placer: Placer;
}

interface NewSession {
  title: string;
  target_type: Session['target_type'];
  target_id: string | number;
}

interface Waiting {
  sent: Sent;
  target: Target;
  target_type: Session['target_type'];
  asker: Asker;
  title: string;
  created_at: string;
}

/** A message whose images are stored. */
type Incoming = Omit<SendInput, 'images'> & { images: readonly StoredImage[] };

interface Sending {
  input: Incoming;
  upload: Upload | undefined;
  /** People of the session who don't read it now. */
  away: readonly number[];
  session: Session;
  target: Target | undefined;
  sender_name: string;
  asker: Asker;
}

/** Opens sessions and stores sent messages. */
export class Sender {
  readonly #ports: Ports;
  readonly #targets: Targets;
  readonly #arrivals: Arrivals;
  readonly #worker: ReplyWorker;
  readonly #placer: Placer;

  constructor({ ports, targets, arrivals, worker, placer }: SenderParts) {
    this.#ports = ports;
    this.#targets = targets;
    this.#arrivals = arrivals;
    this.#worker = worker;
    this.#placer = placer;
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

  /** Opens a session with a person's title, in which mentions are reported. */
  async create(input: NewSession, asker: Asker): Promise<Session> {
    return this.#ports.db.transaction(async () => {
      const session = await this.open(input, asker);
      const place = { session_id: session.id, message_id: null, task_id: null, sender_id: asker.member_id };
      await emitMentions(this.#ports, { ...place, text: input.title });
      return session;
    });
  }

  /**
   * Prepares a message and fetches its images, outside of a transaction because other writers would wait for it. Returns a function that
   * sends the message. The first step fails with `session_not_found`, `no_ai_employee`, `extension_unavailable`, `quota_exceeded`, and as
   * {@link open} and reading images do; the second with `session_not_found` (deleted since), `session_busy`, `too_many_tasks` or
   * `quota_exceeded`. If the default AI employee is deleted in between, the reply fails with `no_ai_employee`.
   */
  async prepare({ images: given = [], ...input }: SendInput, asker: Asker): Promise<SecondStep<Sent>> {
    if (input.content === '' && given.length === 0) throw empty();
    assertSession(input);
    const { session_id, target_type = 'ai', target_id = '' } = input;
    const session = session_id ? await this.#session(session_id, asker) : undefined;
    const partner = session ?? { target_type, target_id: String(target_id) };
    if (!session) await this.#targets.check(partner, asker.member_id);
    const { target, sender_name } = await this.#targets.sides(partner, asker.member_id);
    const place = session ?? (await this.#known(partner, input, asker));
    const away = [...(await whoIsAway(this.#ports, othersOf(partner, session, asker), place?.id))];
    const { images, upload } = await this.#take(given, asker);
    const sending = { input: { ...input, images }, upload, target, asker, away };
    const send = () =>
      this.#ports.db.transaction(async () => {
        if (session) return this.#store({ ...sending, session, sender_name });
        const known = await this.#known(partner, input, asker);
        if (known) return this.#store({ ...sending, session: known, sender_name });
        const opened = await this.open({ title: headOf(sending.input, 40), ...partner }, asker);
        // Looks the sender up again: a member deleted since must not open a session.
        return this.#store({ ...sending, session: opened, sender_name: await this.#targets.nameOf(asker.member_id) });
      });
    return Object.assign(send, { unneeded: () => this.#giveBack(upload) });
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
    if (!session) throw fail('session_not_found', `There is no session ${id} that you take part in`);
    return session;
  }

  async #store({ input, upload, session: known, target, sender_name, asker, away }: Sending): Promise<Sent> {
    const head = headOf(input, 100);
    const { db, sessions, images, clock, newId } = this.#ports;
    const { member_id: sender_id } = asker;
    const turn = await sessions.nextTurn(sender_id, known.id, clock.now());
    if (!turn) throw fail('session_not_found', `Session ${known.id} no longer exists`);
    const { created_at, unread_count } = turn;
    const session = { ...known, unread_count };
    const place = await placeOf(this.#ports, session.id, input);
    const sent: Sent = { message_id: newId(), session_id: session.id, task_id: target ? newId() : null };
    const waiting = target && { sent, target, asker, title: head, created_at, target_type: session.target_type };
    const task = waiting && (await this.#queue(waiting));
    await images.keep(session.id, input.images);
    const { message_id: id, task_id } = sent;
    const shown = input.images.map(({ image }) => image);
    const { content } = input;
    await this.#arrivals.add({ id, session, task_id, content, images: shown, upload, head, created_at, sender_id, sender_name, place });
    if (task) this.#ports.frames.task(task);
    if (away.length > 0)
      await this.#ports.emit('chat.message_missed', {
        session_id: session.id,
        message_id: id,
        sender_id,
        sender_name,
        to: [...away],
        preview: head,
      });
    if (session.target_type === 'ai')
      await emitMentions(this.#ports, { session_id: session.id, message_id: id, task_id, sender_id, text: input.content });
    db.afterCommit(() => this.#ports.track(this.#begin(sent, task)));
    return sent;
  }

  async #queue({ sent, target, asker, title, created_at, target_type }: Waiting): Promise<Task> {
    const { tasks, newId } = this.#ports;
    const { session_id, message_id, task_id } = sent;
    const { waiting, open } = await tasks.backlog({ session_id, member_id: asker.member_id });
    if (waiting >= max_waiting) throw busy(session_id);
    if (open >= max_open) throw tooMany();
    return tasks.insert({
      id: task_id as string,
      session_id,
      message_id,
      reply_id: newId(),
      target_type,
      member_id: target.member_id,
      member_name: target.name,
      node_id: target.node_id,
      requested_by: asker.member_id,
      scopes: asker.scopes,
      title,
      created_at,
    });
  }

  /** Sends the message to readers and announces the task. Called after the commit. */
  async #begin(sent: Sent, task: Task | undefined): Promise<void> {
    const { journal, log } = this.#ports;
    const { session_id } = sent;
    await this.#arrivals.show(sent);
    if (!task) return;
    const queued: ReplyEvent = { type: 'task.updated', data: { seq: 0, task_id: task.id, message_id: task.reply_id, task } };
    await append({ journal, log, task_id: task.id, session_id }, [queued]);
    this.#worker.adopt(task.id);
    await (task.node_id === null ? this.#worker.wake() : this.#placer.look());
  }
}

/** Returns the other person of a session, if any. AI employees and plugins' own members don't read notifications. */
function othersOf({ target_type, target_id }: Partner, session: Session | undefined, { member_id }: Asker): number[] {
  const people = [session?.created_by ?? member_id, ...(target_type === 'member' ? [Number(target_id)] : [])];
  return [...new Set(people)].filter((id) => id !== member_id);
}

/** Returns the preview of a message for lists: its start, or the names of its images. */
function headOf({ content, images }: Incoming, length: number): string {
  return startOf(content, length) || startOf(images[0]?.image.name ?? 'Image', length);
}

function busy(session_id: string): Error {
  return fail('session_busy', `Session ${session_id} has ${max_waiting} messages waiting for an answer; send more after some are answered`);
}

function tooMany(): Error {
  const message = `${max_open} of your messages wait for an answer; send more after some are answered`;
  return fail('too_many_tasks', message, { retry_after: 10 });
}

function empty(): Error {
  const message = "'content' may be empty only with images";
  return failCore('invalid_input', message, { details: [{ path: 'content', message }] });
}
