import { type Database, Op } from '../../../kernel/contract/index.js';
import type { Models, PairRow, ParticipantRow, SessionRow } from '../models.js';
import { latestMessageFirst } from './sessions-sql.js';

/** Two members, in either order. */
export type Pair = readonly [number, number];

/** Session with a contact, as the member sees it; of several with a person, the latest active one. */
export interface PairedSession extends Pick<ParticipantRow, 'session_id'>, Pick<SessionRow, 'last_message_at'> {
  contact_id: number;
  /** With a person, the sum over all conversations. */
  unread_count: number;
}

/** Table `chat_pairs`: which session two members share. */
export class Pairs {
  readonly #db: Database;
  readonly #model: Models['pairs'];

  constructor(db: Database, model: Models['pairs']) {
    this.#db = db;
    this.#model = model;
  }

  /**
   * Locks a pair until the transaction ends, and returns its session, or null if it has none yet. A lock, also on a row that isn't there
   * yet. Hot: each message to a person without a session.
   */
  async hold(pair: Pair): Promise<string | null> {
    const { low_id, high_id } = sorted(pair);
    // Retries if the row was there at the first statement and is gone at the second.
    for (;;) {
      await this.#db.run('INSERT INTO chat_pairs (low_id, high_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [low_id, high_id]);
      const sql = 'SELECT session_id FROM chat_pairs WHERE low_id = $1 AND high_id = $2 FOR UPDATE';
      const [row] = await this.#db.rows<Pick<PairRow, 'session_id'>>(sql, [low_id, high_id]);
      if (row) return row.session_id;
    }
  }

  async set(pair: Pair, session_id: string): Promise<void> {
    await this.#model.update({ session_id }, { where: sorted(pair) });
  }

  /** Adds a session. A pair keeps its first one. */
  async add(pair: Pair, session_id: string): Promise<void> {
    const ids = sorted(pair);
    await this.#model.bulkCreate([{ ...ids, session_id }], { ignoreDuplicates: true });
    await this.#model.update({ session_id }, { where: { ...ids, session_id: null } });
  }

  /** Returns the sessions with contacts that a member sees, one for each contact. */
  async sessionsOf(member_id: number): Promise<PairedSession[]> {
    const [paired, people] = await Promise.all([this.#paired(member_id), this.#withPeople(member_id)]);
    return [...paired, ...people];
  }

  /** Reads those with AI employees. Benchmark row `growth-members`: the contacts of a member with thousands. */
  #paired(member_id: number): Promise<PairedSession[]> {
    const side = (own: string, other: string) => `SELECT q.${other} AS contact_id, q.session_id, s.last_message_at, p.unread_count
      FROM chat_pairs q JOIN chat_sessions s ON s.id = q.session_id
      JOIN chat_participants p ON p.session_id = q.session_id AND p.member_id = $1 AND p.hidden = 0 AND p.target_type <> 'member' WHERE q.${own} = $1`;
    return this.#db.rows(`${side('low_id', 'high_id')} UNION ALL ${side('high_id', 'low_id')}`, [member_id]);
  }

  /** Reads those with people. Benchmark row `growth-members`: the contacts of a member with thousands. */
  async #withPeople(member_id: number): Promise<PairedSession[]> {
    const rows = await this.#db.rows<PairedSession>(
      `SELECT CAST(p.target_id AS INTEGER) AS contact_id, p.session_id, s.last_message_at, p.unread_count
       FROM chat_participants p JOIN chat_sessions s ON s.id = p.session_id
       WHERE p.member_id = $1 AND p.target_type = 'member' AND p.hidden = 0 AND p.is_guest = 0
       ORDER BY ${latestMessageFirst}`,
      [member_id],
    );
    const latest = new Map<number, PairedSession>();
    for (const row of rows) {
      const known = latest.get(row.contact_id);
      if (known) known.unread_count += row.unread_count;
      else latest.set(row.contact_id, { ...row });
    }
    return [...latest.values()];
  }

  /** Forgets sessions. Call it before they are deleted, because others lock a pair before its session. */
  async forgetSessions(ids: readonly string[]): Promise<void> {
    await this.#model.destroy({ where: { session_id: [...ids] } });
  }

  async forgetMember(id: number): Promise<void> {
    await this.#model.destroy({ where: { [Op.or]: [{ low_id: id }, { high_id: id }] } });
  }
}

function sorted([one, other]: Pair): Pick<PairRow, 'low_id' | 'high_id'> {
  return one < other ? { low_id: one, high_id: other } : { low_id: other, high_id: one };
}
