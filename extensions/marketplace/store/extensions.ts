import { Op } from '../../../kernel/contract/index.js';
import type { ExtensionType, Publisher } from '../contract.js';
import type { ExtensionRow, Models } from '../models.js';
import { personOf } from './version-row.js';

/** Id with its owner or source. */
export type StoredExtension = Pick<ExtensionRow, 'id' | 'type' | 'source' | 'downloads'> & { owner: Publisher | null };

/** Owner or source of an id. */
export type Origin = { owner: Publisher; source: null } | { owner: null; source: string };

export class ExtensionStore {
  readonly #model: Models['extensions'];

  constructor(model: Models['extensions']) {
    this.#model = model;
  }

  async find(id: string): Promise<StoredExtension | undefined> {
    return toExtension(await this.#model.findByPk(id, { raw: true }));
  }

  /** Reads and locks an id in the current transaction: every change of the id's versions takes this lock. */
  async lock(id: string): Promise<StoredExtension | undefined> {
    return toExtension(await this.#model.findByPk(id, { lock: true, raw: true }));
  }

  /** Returns the sources of those ids that have one. */
  async sourcesOf(ids: readonly string[]): Promise<Map<string, string>> {
    const where = { id: [...ids], source: { [Op.ne]: null } };
    const rows = await this.#model.findAll({ attributes: ['id', 'source'], where, raw: true });
    return new Map(rows.map(({ id, source }) => [id, source ?? '']));
  }

  /** Creates the id unless it exists, and returns it, locked as by {@link lock}. */
  async claim(id: string, type: ExtensionType, { now, ...origin }: Origin & { now: string }): Promise<StoredExtension> {
    for (;;) {
      await this.#model.bulkCreate([{ id, type, ...columnsOf(origin), downloads: 0, created_at: now }], { ignoreDuplicates: true });
      const claimed = await this.lock(id);
      // A holder of the lock may have removed it meanwhile.
      if (claimed) return claimed;
    }
  }

  async transfer(id: string, type: ExtensionType, origin: Origin): Promise<void> {
    await this.#model.update({ type, ...columnsOf(origin) }, { where: { id } });
  }

  async countDownload(id: string): Promise<void> {
    await this.#model.increment('downloads', { where: { id } });
  }

  async delete(id: string): Promise<void> {
    await this.#model.destroy({ where: { id } });
  }
}

function columnsOf({ owner, source }: Origin): Pick<ExtensionRow, 'owner_id' | 'owner_name' | 'source'> {
  return { owner_id: owner?.member_id ?? null, owner_name: owner?.username ?? null, source };
}

function toExtension(row: ExtensionRow | null): StoredExtension | undefined {
  if (!row) return undefined;
  const { id, type, owner_id, owner_name, source, downloads } = row;
  return { id, type, owner: personOf(owner_id, owner_name), source, downloads };
}
