import type { Model, ModelStatic } from 'sequelize';
import { type Database, Op } from '../../../kernel/contract/index.js';
import type { FoundId, IdKind } from '../contract.js';
import type { Models } from '../models.js';

/** Limit of results: enough to show that a part is ambiguous. */
const max_found = 11;
/** Length of the excerpt that identifies a text. */
const max_about = 80;

/** Finds ids by their beginning or end, among what a member sees. */
export class IdLookup {
  readonly #db: Database;
  readonly #participants: Models['participants'];
  readonly #sources: Readonly<Record<IdKind, { model: ModelStatic<Model>; about: string; session_id: string }>>;

  constructor(db: Database, { sessions, messages, tasks, participants }: Models) {
    this.#db = db;
    this.#participants = participants;
    this.#sources = {
      session: { model: sessions, about: 'title', session_id: 'id' },
      message: { model: messages, about: 'content', session_id: 'session_id' },
      task: { model: tasks, about: 'title', session_id: 'session_id' },
    };
    const join = { targetKey: 'session_id', constraints: false };
    for (const { model, session_id } of Object.values(this.#sources)) model.belongsTo(participants, { ...join, foreignKey: session_id });
  }

  /** Returns matches, latest first. `part` must contain characters of a UUID only. */
  async find({ kind, part }: { kind: IdKind; part: string }, member_id: number): Promise<FoundId[]> {
    const { fn, col } = this.#db.expressions;
    const { model, about } = this.#sources[kind];
    const found = await model.findAll({
      attributes: ['id', kind === 'session' ? [about, 'about'] : [fn('substr', col(about), 1, max_about), 'about']],
      include: { model: this.#participants, attributes: [], where: { member_id, hidden: 0 } },
      where: { id: { [Op.or]: [{ [Op.like]: `${part}%` }, { [Op.like]: `%${part}` }] } },
      order: [['id', 'DESC']],
      limit: max_found,
      raw: true,
    });
    return found as unknown as FoundId[];
  }
}
