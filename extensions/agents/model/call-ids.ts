import { createHash } from 'node:crypto';

/**
 * Makes tool call ids unique within a request, because some servers reuse an id in every answer. A result follows its
 * call, so it belongs to the latest call with that id.
 */
export class CallIds {
  readonly #short: boolean;
  readonly #sent = new Set<string>();
  /** Sent id by stored id; the latest one. */
  readonly #latest = new Map<string, string>();

  /** `short`: nine letters and digits, the only form that some servers accept. */
  constructor(short: boolean) {
    this.#short = short;
  }

  /** Returns the id to send for a call. */
  idForCall(id: string): string {
    let sent = this.#shortened(id);
    for (let count = 2; this.#sent.has(sent); count += 1) sent = this.#shortened(`${id}_${count}`);
    this.#sent.add(sent);
    this.#latest.set(id, sent);
    return sent;
  }

  /** Returns the id to send for the call's result. */
  idForResult(id: string): string {
    return this.#latest.get(id) ?? this.#shortened(id);
  }

  #shortened(id: string): string {
    if (!this.#short || /^[A-Za-z0-9]{9}$/.test(id)) return id;
    return createHash('sha256').update(id).digest('hex').slice(0, 9);
  }
}
