import type { Database } from '../../../kernel/contract/index.js';
import type { FoundId, IdKind } from '../contract.js';

/** One more than anybody needs to see that a part is ambiguous. */
const max_found = 11;

const tables: Readonly<Record<IdKind, { from: string; about: string }>> = {
  session: { from: 'chat_sessions', about: 'title' },
  message: { from: 'chat_messages', about: 'SUBSTR(content, 1, 80)' },
  task: { from: 'chat_tasks', about: 'SUBSTR(title, 1, 80)' },
};

/** Finds ids of what a member sees by their beginning or end. */
export class IdLookup {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The latest first. `part` has no characters but those of a UUID. */
  find({ kind, part }: { kind: IdKind; part: string }, member_id: number): Promise<FoundId[]> {
    const { from, about } = tables[kind];
    const session = kind === 'session' ? 'f.id' : 'f.session_id';
    return this.#db.rows<FoundId>(
      `SELECT f.id, ${about} AS about FROM chat_participants p JOIN ${from} f ON ${session} = p.session_id
       WHERE p.member_id = $1 AND p.hidden = 0 AND (f.id LIKE $2 OR f.id LIKE $3) ORDER BY f.id DESC LIMIT ${max_found}`,
      [member_id, `${part}%`, `%${part}`],
    );
  }
}
