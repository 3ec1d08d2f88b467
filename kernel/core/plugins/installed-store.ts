import type { ExtensionRow } from '../models.js';
import type { Data } from '../ports.js';

/** Stored row of an installed extension. */
export type InstalledRow = Omit<ExtensionRow, 'settings' | 'updated_at'>;

/** Returns whether the row belongs to a plugin or skill of a third party. */
export function isPlugin({ blob }: Pick<InstalledRow, 'blob'>): boolean {
  return blob !== '';
}

const fields = { attributes: { exclude: ['settings', 'updated_at'] satisfies (keyof ExtensionRow)[] as string[] }, raw: true };

/** Access to the table of installed extensions. */
export class InstalledStore {
  readonly #data: Data;
  readonly #clock: { iso(): string };

  constructor(data: Data, clock: { iso(): string }) {
    this.#data = data;
    this.#clock = clock;
  }

  all(): Promise<InstalledRow[]> {
    return this.#data.models.extensions.findAll({ ...fields, order: ['id'] });
  }

  async find(id: string): Promise<InstalledRow | undefined> {
    return (await this.#data.models.extensions.findOne({ ...fields, where: { id } })) ?? undefined;
  }

  /** Inserts or updates a row; returns the time of the first installation. */
  async put({ id, version, hash, state, blob, permissions }: Omit<InstalledRow, 'installed_at'>): Promise<string> {
    const now = this.#clock.iso();
    const changed = { version, hash, state, blob, permissions, updated_at: now };
    return this.transaction(async () => {
      await this.#data.models.extensions.upsert(
        { id, ...changed, installed_at: now },
        { fields: Object.keys(changed) as (keyof ExtensionRow)[] },
      );
      return (await this.find(id))?.installed_at ?? now;
    });
  }

  /** Deletes the row and the listeners of an extension, and with `purge` its key-value storage. */
  async delete(id: string, { purge }: { purge: boolean }): Promise<void> {
    const { extensions, listeners, storage } = this.#data.models;
    await this.transaction(async () => {
      await extensions.destroy({ where: { id } });
      await listeners.destroy({ where: { extension: id } });
      if (purge) await storage.destroy({ where: { extension: id } });
    });
  }

  /**
   * Deletes the key-value storage of an extension that is not installed, because its last version may have written after its row was
   * deleted. If another instance installs it at that moment, it loses what it has stored during its start.
   */
  async deleteOrphanedStorage(id: string): Promise<void> {
    await this.transaction(async () => {
      if (!(await this.find(id))) await this.#data.models.storage.destroy({ where: { extension: id } });
    });
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#data.facade('kernel').transaction(work);
  }
}
