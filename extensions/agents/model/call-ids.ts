import { createHash } from 'node:crypto';

/**
 * Ids of tool calls as one request has them: each once, though some servers give one id to a call of every answer. A result follows its
 * call, so that it answers the latest of that id.
 */
export class CallIds {
  readonly #short: boolean;
  readonly #sent = new Set<string>();
  /** Ids as they are sent, by those that are kept, the latest. */
  readonly #latest = new Map<string, string>();

  /** `short`: nine letters and digits, which is all that some servers take. */
  constructor(short: boolean) {
    this.#short = short;
  }

  /** The id of a call. */
  asked(id: string): string {
    let sent = this.#plain(id);
    for (let count = 2; this.#sent.has(sent); count += 1) sent = this.#plain(`${id}_${count}`);
    this.#sent.add(sent);
    this.#latest.set(id, sent);
    return sent;
  }

  /** The same id in the call's result. */
  answered(id: string): string {
    return this.#latest.get(id) ?? this.#plain(id);
  }

  #plain(id: string): string {
    if (!this.#short || /^[A-Za-z0-9]{9}$/.test(id)) return id;
    return createHash('sha256').update(id).digest('hex').slice(0, 9);
  }
}
