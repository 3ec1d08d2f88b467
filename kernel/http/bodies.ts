import type { IncomingMessage } from 'node:http';
import { fail } from '../contract/failure.js';
import { networkOf } from '../contract/network.js';
import type { Caller } from '../contract/operation.js';

/** Bodies of so many bytes are not counted: whatever others send, everybody can log in and ask. */
const small = 64 * 1024;
/** What the bodies of one member may have together, in bytes; of one address where nobody is known. */
const most_of_one = 128 * 1024 * 1024;
/** The same of all. */
const most_together = 256 * 1024 * 1024;

/** Counts the bodies that are in this process's memory, each from before it is read until its request has ended. */
export class Bodies {
  readonly #of = new Map<string | number, number>();
  #together = 0;

  /**
   * Makes room for a body; gives what frees it. Fails with `rate_limited` where its sender has too much under way, with `server_busy`
   * where all have.
   */
  admit({ member_id, address }: Caller, bytes: number): () => void {
    if (bytes <= small) return () => undefined;
    const whose = member_id === 0 ? networkOf(address) : member_id;
    if ((this.#of.get(whose) ?? 0) + bytes > most_of_one) {
      throw fail('rate_limited', 'You have too many large requests under way; wait for some to end', { retry_after: 1 });
    }
    if (this.#together + bytes > most_together) {
      throw fail('server_busy', 'Too many large requests are under way; try again in a moment', { retry_after: 1 });
    }
    this.#add(whose, bytes);
    let held = bytes;
    return () => {
      this.#add(whose, -held);
      held = 0;
    };
  }

  #add(whose: string | number, bytes: number): void {
    this.#together += bytes;
    const left = (this.#of.get(whose) ?? 0) + bytes;
    if (left > 0) this.#of.set(whose, left);
    else this.#of.delete(whose);
  }
}

/** How many bytes a request's body is to have: as declared, without a length the most that it may have, none where that is refused. */
export function bodyBytes({ headers }: IncomingMessage, max_bytes: number): number {
  if (headers['transfer-encoding'] !== undefined) return max_bytes;
  const declared = Number(headers['content-length'] ?? 0);
  return declared <= max_bytes ? declared : 0;
}
