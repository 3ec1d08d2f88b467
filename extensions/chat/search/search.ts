import { fail } from '../codes.js';
import type { FoundMessage, Message } from '../contract.js';
import type { Ports } from '../ports.js';
import type { SearchIndex } from '../store/search.js';
import { highlight } from './highlight.js';
import { SearchQuery } from './query.js';
import { piecesOf } from './terms.js';

interface Sought {
  q: string;
  session_id?: string | undefined;
  limit: number;
}

/** Signs that are all there, but elsewhere in the text, are told only by reading it: so many messages are read. */
const most_read = 5_000;

/** Finds messages by their text, the newest first. */
export class Search {
  readonly #ports: Ports;
  readonly #index: SearchIndex;

  constructor(ports: Ports, index: SearchIndex) {
    this.#ports = ports;
    this.#index = index;
  }

  /** Fails with `session_not_found`. */
  async find({ q, session_id, limit }: Sought, member_id: number): Promise<FoundMessage[]> {
    if (session_id) await this.#check(session_id, member_id);
    const query = new SearchQuery(q);
    const found: FoundMessage[] = [];
    if (query.empty) return found;
    const lookup = { wanted: query.wanted, member_id, session_id: session_id || undefined };
    let before = Number.MAX_SAFE_INTEGER;
    for (let read = 0; found.length < limit && read < most_read; ) {
      const wanted = Math.max(limit - found.length, 20);
      const numbers = await this.#index.find({ ...lookup, before, limit: wanted });
      if (numbers.length > 0) found.push(...matching(await this.#ports.messages.numbered(numbers, member_id), query));
      if (numbers.length < wanted) break;
      read += numbers.length;
      before = numbers.at(-1) as number;
    }
    return found.sort(newestFirst).slice(0, limit);
  }

  async #check(session_id: string, member_id: number): Promise<void> {
    const session = await this.#ports.sessions.get(session_id, member_id);
    if (!session) throw fail('session_not_found', `There is no session ${session_id} that you take part in`);
  }
}

function matching(messages: readonly Message[], query: SearchQuery): FoundMessage[] {
  return messages.flatMap((message) => {
    const ranges = query.match(piecesOf(message.content));
    return ranges ? [{ ...message, highlight: highlight(message.content, ranges) }] : [];
  });
}

/** Of the same millisecond, the later stored stays first. */
function newestFirst(one: Message, other: Message): number {
  if (one.created_at === other.created_at) return 0;
  return one.created_at < other.created_at ? 1 : -1;
}
