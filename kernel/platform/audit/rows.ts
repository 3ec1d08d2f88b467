import { Op } from '../../contract/models.js';
import { deletePortions } from '../../contract/sql.js';
import type { AuditEntry, AuditQuery, AuditRecord } from '../../contract/system.js';
import type { Data } from '../data/hub.js';
import type { RefusalStore } from './refusals.js';

/** Number of rows that one statement deletes. */
const batch_size = 5_000;

/** Columns in the order of the answer. */
const fields: (keyof AuditRecord)[] = [
  ...(['id', 'at', 'member_id', 'username', 'operation', 'door', 'via', 'address', 'request_id'] as const),
  ...(['target', 'outcome', 'times', 'last_at', 'input'] as const),
];

const refused = { outcome: { [Op.ne]: 'success' } };

/** The table of the audit trail. */
export class AuditRows implements RefusalStore {
  readonly #data: Pick<Data, 'models'>;

  constructor(data: Pick<Data, 'models'>) {
    this.#data = data;
  }

  async insert(entry: AuditEntry): Promise<void> {
    await this.#model.create({ ...entry, last_at: entry.at });
  }

  async count({ at, request_id, operation, via, target, outcome }: AuditEntry, seen: { times: number; last_at: string }): Promise<void> {
    await this.#model.update(seen, { where: { at, request_id, operation, target, outcome, via } });
  }

  /** Reads a page of rows, the latest first. */
  async page(query: AuditQuery): Promise<AuditRecord[]> {
    const rows: AuditRecord[] = await this.#model.findAll({
      attributes: fields,
      where: conditionOf(query),
      order: [['id', 'DESC']],
      limit: query.limit,
      raw: true,
    });
    return rows.map((row) => ({ ...row, last_at: row.last_at || row.at }));
  }

  /** Deletes rows from before a time; returns their number. */
  sweep(oldest: string): Promise<number> {
    return deletePortions(this.#model, { at: { [Op.lt]: oldest } }, batch_size);
  }

  /** Deletes the oldest refusals beyond a number; returns how many were deleted. */
  async sweepRefused(max: number): Promise<number> {
    const surplus = await this.#model.findOne({ attributes: ['id'], where: refused, order: [['id', 'DESC']], offset: max, raw: true });
    return surplus ? deletePortions(this.#model, { ...refused, id: { [Op.lte]: surplus.id } }, batch_size) : 0;
  }

  get #model() {
    return this.#data.models.audit;
  }
}

function conditionOf({ member_id, operation, target, outcome, from, to, before }: AuditQuery) {
  const equal = { member_id, operation, target, outcome: outcome === 'refused' ? undefined : outcome };
  const at = { ...(from !== undefined && { [Op.gte]: from }), ...(to !== undefined && { [Op.lt]: to }) };
  return {
    ...Object.fromEntries(Object.entries(equal).filter(([, value]) => value !== undefined)),
    ...(outcome === 'refused' && refused),
    ...((from ?? to) !== undefined && { at }),
    ...(before !== undefined && { id: { [Op.lt]: before } }),
  };
}
