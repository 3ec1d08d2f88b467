import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../kernel/contract/index.js';
import type { SearchIndex } from '../store/search-sql.js';

interface Row {
  no: number | string;
  session_id: string;
  content: string;
  members: string;
}

/** So many messages are indexed in one transaction. */
const batch = 50;

/** Indexes the messages that were there before the index, from the newest to the oldest, a few at a time. */
export class Backlog {
  readonly #db: Database;
  readonly #index: SearchIndex;
  readonly #signal: AbortSignal;
  #done = false;

  constructor(db: Database, index: SearchIndex, signal: AbortSignal) {
    this.#db = db;
    this.#index = index;
    this.#signal = signal;
  }

  /** Goes on until nothing is left or the extension stops. Leaves others half of the time. */
  async work(): Promise<void> {
    while (!this.#done && !this.#signal.aborted) {
      const begun = performance.now();
      this.#done = (await this.#left()) === undefined || (await this.#db.transaction(() => this.#step()));
      await sleep(performance.now() - begun, undefined, { ref: false });
    }
  }

  /** Instances take turns. True where nothing is left. */
  async #step(): Promise<boolean> {
    const next = await this.#left('FOR UPDATE');
    if (next === undefined) return true;
    const rows = await this.#db.rows<Row>(
      `SELECT no, session_id, CASE WHEN status = 'streaming' THEN '' ELSE content END AS content, ${this.#members} AS members
       FROM chat_messages m WHERE no <= $1 ORDER BY no DESC LIMIT ${batch}`,
      [next],
    );
    await this.#index.addAll(rows.filter(({ content }) => content !== '').map(toIndexed));
    const last = rows.at(-1);
    if (last) await this.#db.run('UPDATE chat_search_backlog SET next_no = $1', [Number(last.no) - 1]);
    else await this.#db.run('DELETE FROM chat_search_backlog');
    return !last;
  }

  async #left(lock = ''): Promise<number | undefined> {
    const [row] = await this.#db.rows<{ next_no: number | string }>(`SELECT next_no FROM chat_search_backlog ${lock}`);
    return row && Number(row.next_no);
  }

  get #members(): string {
    const list = this.#db.dialect === 'postgres' ? `string_agg(p.member_id::text, ',')` : `group_concat(p.member_id, ',')`;
    return `(SELECT ${list} FROM chat_participants p WHERE p.session_id = m.session_id)`;
  }
}

function toIndexed({ no, session_id, content, members }: Row) {
  return { no: Number(no), session_id, content, members: members.split(',').map(Number) };
}
