import { type Indexed, SearchIndex } from '../../extensions/chat/store/search-sql.js';
import type { Database, SqlValue } from '../../kernel/contract/index.js';

/** Senders and their messages. */
export interface Filling {
  messages: number;
  /** Has most of the messages. */
  most: number;
  /** Sees 200 of them. */
  few: number;
  /** Whether half of all are in one session of the member with most. Default: no. */
  long?: boolean;
}

export interface Filled {
  /** One session of the member with most messages, with 200 of them from all times. */
  session_id: string;
  /** The session with half of all, where there is one. */
  long_id: string | undefined;
  seconds: number;
}

const batch = 1_000;
const sessions_of_most = 20_000;
const others = 500;
const seen_by_few = 200;
/** The name of a session. */
const long = 'long';

interface Session {
  id: string;
  members: number[];
}

/** Always the same numbers, so that two runs compare. */
class Numbers {
  #state = 42;

  below(end: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * end);
  }

  /** Small ones often, as words are. */
  skewed(end: number): number {
    return Math.floor(end ** (this.below(1_000_000) / 1_000_000)) - 1;
  }
}

/** Fills a platform's tables with messages of many members, and the index with its own code. */
export class Filler {
  readonly #db: Database;
  /** For statements that take longer than a platform's may. */
  readonly #slowly: (sql: string) => Promise<void>;
  readonly #filling: Filling;
  readonly #numbers = new Numbers();
  readonly #sessions = new Map<string, Session>();

  constructor(db: Database, slowly: (sql: string) => Promise<void>, filling: Filling) {
    this.#db = db;
    this.#slowly = slowly;
    this.#filling = filling;
  }

  async fill(): Promise<Filled> {
    const begun = performance.now();
    const postgres = this.#db.dialect === 'postgres';
    if (postgres) await this.#db.run('DROP INDEX chat_search_terms');
    const index = new SearchIndex(this.#db);
    const { messages } = this.#filling;
    for (let no = 1; no <= messages; no += batch) {
      const some = Array.from({ length: Math.min(batch, messages - no + 1) }, (_, offset) => this.#message(no + offset));
      await this.#db.transaction(async () => {
        await this.#store(some);
        await index.addAll(some);
      });
    }
    await this.#storeSessions();
    if (postgres) {
      await this.#slowly('CREATE INDEX chat_search_terms ON chat_search USING gin (terms) WITH (fastupdate = off)');
      await this.#db.run(`SELECT setval('chat_messages_numbers', ${messages + 1}, false)`);
    }
    await this.#slowly(postgres ? 'VACUUM ANALYZE' : 'ANALYZE');
    const long_id = this.#sessions.get(long)?.id;
    return { session_id: this.#session('one', [this.#filling.most]).id, long_id, seconds: (performance.now() - begun) / 1000 };
  }

  #message(no: number): Indexed {
    const { id: session_id, members } = this.#sessionOf(no);
    return { no, session_id, readers: { ids: members }, content: this.#content(no, members.includes(this.#filling.most)) };
  }

  #sessionOf(no: number): Session {
    const { most, few, messages } = this.#filling;
    const every = Math.floor(messages / seen_by_few);
    if (no % every === 0) return this.#session(`few ${(no / every) % 10}`, [few]);
    if (no % every === 1) return this.#session('one', [most]);
    if (this.#filling.long && no % 2 === 0) return this.#session(long, [most]);
    const kind = this.#numbers.below(10);
    if (kind < 5) return this.#session(`most ${this.#numbers.below(sessions_of_most)}`, [most]);
    const other = 1_000 + this.#numbers.below(others);
    if (kind === 5) return this.#session(`pair ${other}`, [most, other]);
    return this.#session(`other ${other} ${this.#numbers.below(30)}`, [other]);
  }

  #session(name: string, members: number[]): Session {
    const known = this.#sessions.get(name);
    if (known) return known;
    const made = { id: idOf(1, this.#sessions.size), members };
    this.#sessions.set(name, made);
    return made;
  }

  /** Words as often as words are, some that stand in a tenth of all messages, and a tenth in Chinese. */
  #content(no: number, of_most: boolean): string {
    const words: string[] = [];
    for (let left = 5 + this.#numbers.below(20); left > 0; left -= 1) words.push(word(this.#numbers.skewed(200_000)));
    if (this.#numbers.below(10) === 0) words.push('frequent');
    if (this.#numbers.below(10) === 0) words.push('common');
    // In steps of ten of each kind of session, so that members have it too.
    if (no % 10 < 2 && of_most) words.push(no % 10 === 0 ? 'left' : 'right');
    if (!of_most && no % 5 === 0) words.push('foreign');
    if (no < this.#filling.messages / 2 && this.#numbers.below(10) === 0) words.push('ancient');
    if (no % 100_000 === 7) words.push('unique');
    if (this.#numbers.below(10) === 0) words.push(Array.from({ length: 15 }, () => ideograph(this.#numbers.skewed(3_000))).join(''));
    return words.join(' ');
  }

  async #store(messages: readonly Indexed[]): Promise<void> {
    const values: SqlValue[] = [];
    const rows = messages.map(({ no, session_id, readers: { ids: members }, content }) => {
      const at = values.push(idOf(2, no), session_id, members[0] as number, content, timeOf(no), no) - 5;
      return `($${at}, $${at + 1}, 'user', $${at + 2}, 'Somebody', $${at + 3}, '[]', 'completed', '[]', 1, $${at + 4}, $${at + 4}, $${at + 5})`;
    });
    await this.#db.run(
      `INSERT INTO chat_messages (id, session_id, role, sender_id, sender_name, content, images, status, tool_calls, seq, created_at,
         updated_at, no) VALUES ${rows.join()}`,
      values,
    );
  }

  async #storeSessions(): Promise<void> {
    const all = [...this.#sessions.values()];
    for (let start = 0; start < all.length; start += batch) {
      const some = all.slice(start, start + batch);
      const people = some.flatMap(({ id, members }) => members.map((member_id) => ({ id, member_id })));
      await this.#db.run(
        `INSERT INTO chat_sessions (id, title, target_type, created_by, created_at, updated_at, last_message_preview, last_ms)
         VALUES ${some.map(({ members }, index) => `($${index + 1}, '', '', ${members[0]}, '${timeOf(0)}', '${timeOf(0)}', '', 0)`).join()}`,
        some.map(({ id }) => id),
      );
      await this.#db.run(
        `INSERT INTO chat_participants (session_id, member_id, target_type, target_id, unread_count, hidden, activity_at)
         VALUES ${people.map(({ member_id }, index) => `($${index + 1}, ${member_id}, '', '', 0, 0, '${timeOf(0)}')`).join()}`,
        people.map(({ id }) => id),
      );
    }
  }
}

/** The id of the message with this number. */
export function messageId(no: number): string {
  return idOf(2, no);
}

function idOf(kind: number, number: number): string {
  return `01900000-0000-7000-800${kind}-${number.toString(16).padStart(12, '0')}`;
}

function timeOf(no: number): string {
  return new Date(Date.UTC(2025, 0, 1) + no * 20_000).toISOString();
}

/** A word for each number: the frequent ones are short. */
function word(number: number): string {
  const letters = 'etaoinshrdlucmfwypvbgkjqxz';
  let text = '';
  for (let rest = number; rest >= 0; rest = Math.floor(rest / 26) - 1) text += letters[rest % 26];
  return text;
}

function ideograph(number: number): string {
  return String.fromCharCode(0x4e00 + number);
}
