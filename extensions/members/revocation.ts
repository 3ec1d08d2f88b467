import type { Bus, Log } from '../../kernel/contract/index.js';
import { loginOf, personalTokenOf } from './caller.js';
import type { Store } from './store.js';

/** Revoked credentials: everything of a member, or one of its tokens. */
export interface RevokedCredential {
  member_id: number;
  token_id?: string;
}

const channel = 'members.ended';

/**
 * Revokes members' credentials. The rows are deleted in the current transaction; after its commit every instance drops
 * its cache entries, and streams and sockets are closed.
 */
export class Revocation {
  readonly #store: Store;
  readonly #bus: Bus;
  readonly #notify: (ended: RevokedCredential) => Promise<void>;
  readonly #track: (work: Promise<unknown>) => void;
  readonly #listeners: ((ended: RevokedCredential) => void)[] = [];

  constructor(options: {
    store: Store;
    bus: Bus;
    log: Log;
    track: (work: Promise<unknown>) => void;
    disconnect: (ended: RevokedCredential) => Promise<void>;
  }) {
    this.#store = options.store;
    this.#bus = options.bus;
    this.#track = options.track;
    this.#notify = async (ended) => {
      const results = await Promise.allSettled([options.bus.publish(channel, ended), options.disconnect(ended)]);
      for (const result of results)
        if (result.status === 'rejected')
          options.log.warn('Could not broadcast token revocation', { ...ended, cause: String(result.reason) });
    };
  }

  /** Registers a listener for revocations on any instance; it may be called twice. */
  onRevoked(listener: (ended: RevokedCredential) => void): void {
    this.#listeners.push(listener);
  }

  /** Listens to other instances' revocations until disposed. */
  async listen(): Promise<{ dispose(): Promise<void> }> {
    const unsubscribe = await this.#bus.subscribe(channel, (ended: RevokedCredential) => this.#onMessage(ended));
    return { dispose: unsubscribe };
  }

  /** Revokes a member's logins, personal tokens and tickets. */
  async revokeAll(member_id: number): Promise<void> {
    await this.#store.transaction(async () => {
      await this.#store.members.incrementVersion(member_id);
      await this.#store.logins.deleteOf(member_id);
      await this.#store.tokens.deleteOf(member_id);
      await this.#store.tickets.deleteOf(member_id);
      this.#announce({ member_id });
    });
  }

  /** Ends one login; false if it had already ended. */
  async endLogin(member_id: number, login_id: string, token_id: string): Promise<boolean> {
    return this.#revokeOne({ member_id, token_id }, () => this.#store.logins.delete(member_id, [login_id]));
  }

  /** Revokes one personal token; false if the member has none with that id. */
  async revokeToken(member_id: number, id: number, token_id: string): Promise<boolean> {
    return this.#revokeOne({ member_id, token_id }, () => this.#store.tokens.delete(member_id, [id]));
  }

  /** Ends some of a member's logins and personal tokens, by their `token_id`s. */
  async endSome(member_id: number, token_ids: readonly string[]): Promise<void> {
    await this.#store.transaction(async () => {
      await this.#store.logins.delete(member_id, token_ids.map(loginOf).filter(isKnown));
      await this.#store.tokens.delete(member_id, token_ids.map(personalTokenOf).filter(isKnown));
      await this.#store.tickets.deleteOf(member_id, token_ids);
      for (const token_id of token_ids) this.#announce({ member_id, token_id });
    });
  }

  async #revokeOne(ended: Required<RevokedCredential>, remove: () => Promise<number>): Promise<boolean> {
    return this.#store.transaction(async () => {
      const removed = await remove();
      await this.#store.tickets.deleteOf(ended.member_id, [ended.token_id]);
      this.#announce(ended);
      return removed === 1;
    });
  }

  #announce(ended: RevokedCredential): void {
    this.#store.afterCommit(() => {
      this.#onMessage(ended);
      this.#track(this.#notify(ended));
    });
  }

  #onMessage(ended: RevokedCredential): void {
    for (const listener of this.#listeners) listener(ended);
  }
}

function isKnown<T>(value: T | undefined): value is T {
  return value !== undefined;
}
