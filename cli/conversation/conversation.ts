import type { Api } from './api.js';
import type { Attachment } from './attachment.js';
import { findPartner, type Partner } from './partner.js';

/** A session as it is listed. */
export interface SessionRecord {
  id: string;
  title: string;
  target_type: string;
  /** The partner's id; empty for the AI employee who answers where nobody is named. */
  target_id: string;
  last_message_at: string | null;
  last_message_preview: string;
  active_task_id: string | null;
}

export interface Sent {
  message_id: string;
  session_id: string;
  task_id: string | null;
}

/** Where messages go: into a session, or into one that the first message opens. */
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

  /** For whom the next message is, as people read it. */
  get name(): string {
    if (this.#session) return `the conversation '${this.#session.title}'`;
    return `a new conversation with ${this.#partner?.nickname ?? 'the AI employee who answers where nobody is named'}`;
  }

  get attachments(): readonly Attachment[] {
    return this.#attachments;
  }

  /** Goes on with a session. */
  async open(session_id: string): Promise<void> {
    this.#session = await this.#api.call<SessionRecord>('sessions.get', { session_id });
    this.#session_id = session_id;
  }

  /** The next message opens a session, with that AI employee or the one of before. */
  async begin(employee?: string): Promise<void> {
    const wanted = employee ?? (this.#session?.target_type === 'ai' ? this.#session.target_id : undefined);
    if (wanted !== undefined) this.#partner = wanted === '' ? undefined : await findPartner(wanted, this.#api);
    this.#session = undefined;
    this.#session_id = undefined;
  }

  /** Goes with the next message. */
  attach(attachment: Attachment): void {
    this.#attachments.push(attachment);
  }

  async send(content: string, signal: AbortSignal): Promise<Sent> {
    const input = { content, images: this.#attachments, ...this.#target() };
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
