import { type Attached, type Attachment, uploadAttachments } from '../../kernel/client/attachments.js';
import type { Api } from './api.js';
import { findPartner, type Partner } from './partner.js';

/** A session as `sessions.list` returns it. */
export interface SessionRecord {
  id: string;
  title: string;
  target_type: string;
  /** Topic of a room; empty for other sessions. */
  topic: string;
  /** The caller's own role. */
  role: 'owner' | 'member';
  member_count: number;
  /** The partner's id; empty for the default AI employee. */
  target_id: string;
  last_message_at: string | null;
  last_message_preview: string;
  active_task_id: string | null;
}

export interface Sent {
  message_id: string;
  session_id: string;
  task_id: string | null;
  /** All tasks that answer, one for each AI employee. */
  task_ids: readonly string[];
  /** People whom the message mentions but who are not in the room. */
  not_in_room: readonly { member_id: number; username: string }[];
}

/** Sends messages to a session, or to a new one that the first message opens. */
export class Conversation {
  readonly #api: Api;
  #partner: Partner | undefined;
  #session: SessionRecord | undefined;
  #session_id: string | undefined;
  #attachments: Attachment[] = [];

  constructor(api: Api) {
    this.#api = api;
  }

  get session(): SessionRecord | undefined {
    return this.#session;
  }

  get session_id(): string | undefined {
    return this.#session_id;
  }

  get isRoom(): boolean {
    return this.#session?.target_type === 'room';
  }

  /** Describes the recipient of the next message for people. */
  get name(): string {
    if (this.isRoom) return `the room '${this.#session?.title ?? ''}' with ${this.#session?.member_count} members`;
    if (this.#session) return `the conversation '${this.#session.title}'`;
    return `a new conversation with ${this.#partner?.nickname ?? 'the default AI employee'}`;
  }

  get attachments(): readonly Attachment[] {
    return this.#attachments;
  }

  /** Continues a session. */
  async open(session_id: string): Promise<void> {
    this.#session = await this.#api.call<SessionRecord>('sessions.get', { session_id });
    this.#session_id = session_id;
  }

  /** Makes the next message open a session, with the named AI employee or the previous one. */
  async begin(employee?: string): Promise<void> {
    const wanted = employee ?? (this.#session?.target_type === 'ai' ? this.#session.target_id : undefined);
    if (wanted !== undefined) this.#partner = wanted === '' ? undefined : await findPartner(wanted, this.#api);
    this.#session = undefined;
    this.#session_id = undefined;
  }

  /** Adds an image or a file to the next message. */
  attach(attachment: Attachment): void {
    this.#attachments.push(attachment);
  }

  /** Removes what was to be sent with the next message. */
  detach(): void {
    this.#attachments = [];
  }

  /** Uploads the files among attachments. Fails with the name of the first that can't be uploaded. */
  async upload(attachments: readonly Attachment[], signal: AbortSignal): Promise<Attached> {
    return uploadAttachments(attachments, (file) => this.#api.call('files.upload', { file }, signal));
  }

  /** Sends a message. The attachments of the next message are forgotten once it is sent. */
  async send(content: string, signal: AbortSignal, attached: Attached = {}): Promise<Sent> {
    const input = { content, ...attached, ...this.#target() };
    const sent = await this.#api.call<Sent>('chat.send', input, signal);
    this.#attachments = [];
    this.#session_id = sent.session_id;
    return sent;
  }

  #target(): object {
    if (this.#session_id !== undefined) return { session_id: this.#session_id };
    return this.#partner === undefined ? {} : { target_type: 'ai', target_id: this.#partner.member_id };
  }
}
