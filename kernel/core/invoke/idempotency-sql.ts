import { Op, type RowOf } from '../../contract/models.js';
import { deletePortions } from '../../contract/sql.js';
import type { KernelModels } from '../models.js';
import type { Data } from '../ports.js';

type Row = RowOf<KernelModels['idempotency']>;

export interface KeyRow extends Pick<Row, 'operation' | 'body_hash' | 'state' | 'owner' | 'created_at'> {
  /** Not null: the columns admit null, but every row is written with a value. */
  status: number;
  answer: string;
}

/** One use of a key. Owner and time distinguish it from the next use, which starts after this one counts as lost. */
export type KeyClaim = Pick<Row, 'member_id' | 'key' | 'owner' | 'created_at'>;

/** Rows deleted per statement. */
const portion = 1_000;

/** Access to the table of idempotency keys. */
export class IdempotencyKeys {
  readonly #data: Pick<Data, 'facade' | 'models'>;

  constructor(data: Pick<Data, 'facade' | 'models'>) {
    this.#data = data;
  }

  /** Claims a key; false if it has a row already. Plain SQL, because `bulkCreate` with `ignoreDuplicates` doesn't report that. */
  async claim({
    member_id,
    key,
    operation,
    body_hash,
    owner,
    created_at,
  }: KeyClaim & Pick<Row, 'operation' | 'body_hash'>): Promise<boolean> {
    const sql =
      'INSERT INTO kernel_idempotency (member_id, key, operation, body_hash, state, status, answer, owner, created_at) ' +
      "VALUES ($1, $2, $3, $4, 'running', 0, '', $5, $6) ON CONFLICT (member_id, key) DO NOTHING";
    return (await this.#db.run(sql, [member_id, key, operation, body_hash, owner, created_at])) > 0;
  }

  /** Hot: runs before each request with a key. */
  async find({ member_id, key }: Pick<Row, 'member_id' | 'key'>): Promise<KeyRow | undefined> {
    const sql =
      'SELECT operation, body_hash, state, status, answer, owner, created_at FROM kernel_idempotency WHERE member_id = $1 AND key = $2';
    return (await this.#db.rows<KeyRow>(sql, [member_id, key]))[0];
  }

  /** Hot: runs at the end of each request with a key. */
  async finish({ member_id, key, owner, created_at }: KeyClaim, { status, answer }: { status: number; answer: string }): Promise<void> {
    const sql =
      "UPDATE kernel_idempotency SET state = 'done', status = $5, answer = $6 " +
      'WHERE member_id = $1 AND key = $2 AND owner = $3 AND created_at = $4';
    await this.#db.run(sql, [member_id, key, owner, created_at, status, answer]);
  }

  async forget({ member_id, key, owner, created_at }: KeyClaim): Promise<void> {
    await this.#data.models.idempotency.destroy({ where: { member_id, key, owner, created_at } });
  }

  /** Deletes keys older than a time; returns how many. */
  sweep(oldest: string): Promise<number> {
    return deletePortions(this.#data.models.idempotency, { created_at: { [Op.lt]: oldest } }, portion);
  }

  get #db() {
    return this.#data.facade('kernel');
  }
}
