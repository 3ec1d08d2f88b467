import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FoundMessage, Message, Session } from '../contract.js';
import type { Ports } from '../ports.js';
import { notThere } from '../replies/readers.js';
import { page_bytes } from '../store/messages-sql.js';
import type { SearchIndex } from '../store/search-sql.js';
import { highlight } from './highlight.js';
import { SearchQuery } from './query.js';
import { piecesOf } from './terms.js';

interface Sought {
  q: string;
  session_id?: string | undefined;
  limit: number;
}

/** Limit of messages read per search, because only the text shows whether signs found by the index are adjacent. */
const max_read = 5_000;
/** Messages read per statement. */
const portion = 20;
/** Length of a text that takes long enough to match to let other work run first. */
const long_text = 65_536;

/** Finds messages by text, newest first. */
export class Search {
  readonly #ports: Ports;
  readonly #index: SearchIndex;

  constructor(ports: Ports, index: SearchIndex) {
    this.#ports = ports;
    this.#index = index;
  }

  /** Returns matches up to the message that reaches {@link page_bytes}. Fails with `session_not_found`. */
  async find({ q, session_id, limit }: Sought, member_id: number): Promise<FoundMessage[]> {
    const session = session_id ? await this.#session(session_id, member_id) : undefined;
    const query = new SearchQuery(q);
    const found: FoundMessage[] = [];
    if (query.empty) return found;
    const rooms = await this.#rooms(session, member_id);
    const lookup = { wanted: query.wanted, member_id, rooms, session_id: session?.id };
    let before = Number.MAX_SAFE_INTEGER;
    let left = page_bytes;
    for (let read = 0; found.length < limit && left > 0 && read < max_read; ) {
      const wanted = Math.max(limit - found.length, 20);
      const numbers = await this.#index.find({ ...lookup, before, limit: wanted });
      for await (const { message, size } of this.#matching(numbers, query, member_id)) {
        found.push(message);
        left -= size;
        if (left <= 0) break;
      }
      if (numbers.length < wanted) break;
      read += numbers.length;
      before = numbers.at(-1) as number;
    }
    return this.#ports.reactions.markMine(found.sort(newestFirst).slice(0, limit), member_id);
  }

  /** Returns the messages among the numbers that match the query. */
  async *#matching(
    numbers: readonly number[],
    query: SearchQuery,
    member_id: number,
  ): AsyncGenerator<{ message: FoundMessage; size: number }> {
    for (let start = 0; start < numbers.length; start += portion) {
      for (const { message, text, size } of await this.#ports.messages.numbered(numbers.slice(start, start + portion), member_id)) {
        if (text.length > long_text) await nextTurn();
        const ranges = query.match(piecesOf(text));
        if (ranges) yield { message: { ...message, highlight: highlight(text, ranges) }, size };
      }
    }
  }

  /** Returns the numbers of the rooms to search. */
  async #rooms(session: Session | undefined, member_id: number): Promise<number[]> {
    if (session && session.target_type !== 'room') return [];
    return this.#ports.rooms.numbersOf(member_id, session?.id);
  }

  async #session(session_id: string, member_id: number): Promise<Session> {
    const session = await this.#ports.sessions.get(session_id, member_id);
    if (!session) throw notThere(session_id);
    return session;
  }
}

/** Sorts newest first; the order within a millisecond stays. */
function newestFirst(one: Message, other: Message): number {
  if (one.created_at === other.created_at) return 0;
  return one.created_at < other.created_at ? 1 : -1;
}
