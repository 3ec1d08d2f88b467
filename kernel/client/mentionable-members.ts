import type { Mentionable } from './mention-completion.js';

/** Time after which members are read again: a room may have thousands, and a person presses Tab often. */
const fresh_ms = 60_000;

/** Members of a session for the completion of mentions. They are read when they are first needed, and again when they are a minute old. */
export class MentionableMembers {
  readonly #read: () => Promise<readonly Mentionable[]>;
  readonly #now: () => number;
  #last: { at: number; members: Promise<readonly Mentionable[]> } | undefined;

  constructor(read: () => Promise<readonly Mentionable[]>, now: () => number = Date.now) {
    this.#read = read;
    this.#now = now;
  }

  /** Returns the members. Fails as reading them does; the next call then reads again. */
  async list(): Promise<readonly Mentionable[]> {
    if (this.#last === undefined || this.#now() - this.#last.at > fresh_ms) this.#last = { at: this.#now(), members: this.#read() };
    try {
      return await this.#last.members;
    } catch (fault) {
      this.forget();
      throw fault;
    }
  }

  /** Makes the next call read the members again. */
  forget(): void {
    this.#last = undefined;
  }
}
