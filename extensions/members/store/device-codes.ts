import { type Database, deletePortions, Op } from '../../../kernel/contract/index.js';
import type { DeviceCodeRow, Models } from '../models.js';
import { takeDeviceCode } from './credentials-sql.js';

export class DeviceCodeStore {
  readonly #db: Database;
  readonly #model: Models['device_codes'];

  constructor(db: Database, model: Models['device_codes']) {
    this.#db = db;
    this.#model = model;
  }

  async insert(row: DeviceCodeRow): Promise<void> {
    await this.#model.create(row);
  }

  /** Counts the valid codes of a network, or of all. */
  count(now: string, network?: string): Promise<number> {
    return this.#model.count({ where: { expires_at: { [Op.gt]: now }, ...(network !== undefined && { network }) } });
  }

  async byDevice(device_hash: string): Promise<DeviceCodeRow | undefined> {
    return (await this.#model.findOne({ where: { device_hash }, lock: true, raw: true })) ?? undefined;
  }

  /** Finds a code that nobody has decided on. */
  async pending(user_hash: string, now: string): Promise<DeviceCodeRow | undefined> {
    const where = { user_hash, state: 'pending' as const, expires_at: { [Op.gt]: now } };
    return (await this.#model.findOne({ where, raw: true })) ?? undefined;
  }

  /** Decides on a pending code; returns false if somebody else has, or it has expired. */
  async decide(user_hash: string, now: string, decision: Pick<DeviceCodeRow, 'state' | 'member_id' | 'version'>): Promise<boolean> {
    const where = { user_hash, state: 'pending' as const, expires_at: { [Op.gt]: now } };
    const [changed] = await this.#model.update(decision, { where });
    return changed === 1;
  }

  async recordPoll(device_hash: string, poll: Pick<DeviceCodeRow, 'polled_at' | 'interval_s'>): Promise<void> {
    await this.#model.update(poll, { where: { device_hash } });
  }

  /** Takes an approved code: if the program asks several times at once, one request gets it. */
  async take(device_hash: string, now: string): Promise<DeviceCodeRow | undefined> {
    const [found] = await this.#db.rows<DeviceCodeRow>(takeDeviceCode, [device_hash, now], { model: this.#model });
    return found;
  }

  async delete(device_hash: string): Promise<void> {
    await this.#model.destroy({ where: { device_hash } });
  }

  sweep(before: string): Promise<number> {
    return deletePortions(this.#model, { expires_at: { [Op.lte]: before } });
  }
}
