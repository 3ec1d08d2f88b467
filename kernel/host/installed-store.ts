import type { Data } from '../data/hub.js';

/** What is remembered of an extension across restarts. */
export interface InstalledRow {
  id: string;
  version: string;
  /** Of the installed bundle; empty where the platform's own copy runs. */
  hash: string;
  state: 'enabled' | 'disabled';
}

/** Which extensions are installed and which are switched off. */
export class InstalledStore {
  readonly #data: Data;
  readonly #clock: { iso(): string };

  constructor(data: Data, clock: { iso(): string }) {
    this.#data = data;
    this.#clock = clock;
  }

  all(): Promise<InstalledRow[]> {
    return this.#data.facade('kernel').rows<InstalledRow>('SELECT id, version, hash, state FROM kernel_extensions ORDER BY id');
  }

  async put({ id, version, hash, state }: InstalledRow): Promise<void> {
    const now = this.#clock.iso();
    await this.#data
      .facade('kernel')
      .run(
        'INSERT INTO kernel_extensions (id, version, hash, state, settings, installed_at, updated_at) ' +
          "VALUES ($1, $2, $3, $4, '{}', $5, $5) ON CONFLICT (id) DO UPDATE SET version = $2, hash = $3, state = $4, updated_at = $5",
        [id, version, hash, state, now],
      );
  }

  async delete(id: string): Promise<void> {
    await this.#data.facade('kernel').run('DELETE FROM kernel_extensions WHERE id = $1', [id]);
  }
}
