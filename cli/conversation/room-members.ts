import { completeMention, type Mentionable, type MentionCompletion } from '../../kernel/client/mention-completion.js';
import type { Api } from './api.js';
import type { SessionRecord } from './conversation.js';

/** Time after which members are read again: a room may have thousands, and a person presses Tab often. */
const fresh_ms = 60_000;

/** Completes mentions of a session's members, which are read when they are first needed. */
export class RoomMembers {
  readonly #api: Api;
  readonly #session: SessionRecord;
  #read: { at: number; members: Promise<Mentionable[]> } | undefined;

  constructor(api: Api, session: SessionRecord) {
    this.#api = api;
    this.#session = session;
  }

  async complete(before: string): Promise<MentionCompletion> {
    const { id: session_id, role, target_type } = this.#session;
    if (this.#read === undefined || Date.now() - this.#read.at > fresh_ms)
      this.#read = { at: Date.now(), members: this.#api.call<Mentionable[]>('sessions.members', { session_id }) };
    try {
      return completeMention(before, { members: await this.#read.members, isOwner: target_type === 'room' && role === 'owner' });
    } catch (fault) {
      this.#read = undefined;
      throw fault;
    }
  }

  /** Makes the next completion read the members again. */
  forget(): void {
    this.#read = undefined;
  }
}
