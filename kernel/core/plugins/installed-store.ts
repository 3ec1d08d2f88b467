import type { ExtensionRow } from '../models.js';
import type { Data } from '../ports.js';

/** An extension's row, which survives restarts. */
export type InstalledRow = Omit<ExtensionRow, 'settings' | 'updated_at'>;

/** Whether it is of a third party's extension. */
export function isPlugin({ blob }: Pick<InstalledRow, 'blob'>): boolean {
  return blob !== '';
}

const fields = { attributes: { exclude: ['settings', 'updated_at'] satisfies (keyof ExtensionRow)[] as string[] }, raw: true };

/** Extensions that are installed, and whether they are switched off. */
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

  /** Gives when it was installed: now, if it wasn't. */
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

  /** Removes the row and what an extension has subscribed to, and its key-value storage if `purge`. */
  async delete(id: string, { purge }: { purge: boolean }): Promise<void> {
    const { extensions, listeners, storage } = this.#data.models;
    await this.transaction(async () => {
      await extensions.destroy({ where: { id } });
      await listeners.destroy({ where: { extension: id } });
      if (purge) await storage.destroy({ where: { extension: id } });
    });
  }

  /**
   * Removes the key-value storage of one that is not installed: its last version may have written after its row was gone. What is
   * being installed anew by another instance at that moment has no row yet, and loses what it has stored while it starts.
   */
  async forgetStorage(id: string): Promise<void> {
    await this.transaction(async () => {
      if (!(await this.find(id))) await this.#data.models.storage.destroy({ where: { extension: id } });
    });
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#data.facade('kernel').transaction(work);
  }
}
